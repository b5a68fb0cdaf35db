import { startCore } from '../../core/core.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { createLogger } from '../../runtime/log.ts';
import { settings } from '../../runtime/settings.ts';
import { runGateway } from '../gateway/running-gateway.ts';
import { hearMetrics } from '../system/hearing.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { stackDefaults } from '../system/stack-settings.ts';

/** A clock that advances only when the test says so. */
export class Clock {
  /** Milliseconds since the Unix epoch. */
  ms = Date.UTC(2026, 0, 2, 3, 4, 0);
  readonly now = (): number => this.ms;

  advance(seconds: number): void {
    this.ms += seconds * 1000;
  }
}

/** A real core and a real gateway in this process on loopback ports, with their settings. */
export interface InProcess {
  http: string;
  grpc: string;
  internal: string;
  /** `host:port` of the core's ops endpoint. */
  coreOps: string;
  stop(): Promise<void>;
}

/** Starts both on a data directory. Rejects with ConfigError on bad settings. */
export async function startOn(
  dataDir: string,
  env: Record<string, string> = {},
  now: () => number = Date.now,
): Promise<InProcess> {
  const given = { ...stackDefaults, GSQ_DATA_DIR: dataDir, ...env };
  const log = createLogger('test', 'silent');
  const core = await startCore(loadConfig(settings, given, []), log, now);
  const {
    GSQ_GRPC_ADDR: grpc = '',
    GSQ_INTERNAL_ADDR: internal = '',
    GSQ_CORE_OPS_ADDR: coreOps = '',
  } = core.addresses;
  const { running: gateway, http, ops } = await runGateway(internal, given, {}, now);
  const stop = async (): Promise<void> => {
    await Promise.all([hearMetrics('core', coreOps), hearMetrics('gateway', ops)]);
    await gateway.drain();
    await core.drain();
  };
  return { http, grpc, internal, coreOps, stop };
}

/** Starts both on a new data directory. */
export function startInProcess(
  env: Record<string, string> = {},
  now: () => number = Date.now,
): Promise<InProcess> {
  return startOn(scratchDirectory(), env, now);
}
