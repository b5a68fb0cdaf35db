import { startCore } from '../../core/core.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { createLogger, type Logger } from '../../runtime/log.ts';
import { settings } from '../../runtime/settings.ts';
import { runGateway } from '../gateway/running-gateway.ts';
import { hearMetrics } from '../system/hearing.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { stackDefaults } from '../system/stack-settings.ts';

/** A clock that only the test advances. */
export class Clock {
  /** Current time of the clock, in milliseconds since the Unix epoch. */
  ms = Date.UTC(2026, 0, 2, 3, 4, 0);
  readonly now = (): number => this.ms;

  advance(seconds: number): void {
    this.ms += seconds * 1000;
  }
}

/** A core and a gateway that run in the test process, with their addresses as `host:port`. */
export interface InProcess {
  http: string;
  grpc: string;
  internal: string;
  /** Address of the ops endpoint of the core, `host:port`. */
  coreOps: string;
  stop(): Promise<void>;
}

/** Starts a core and a gateway with this data directory and log. Rejects with ConfigError if a setting is invalid. */
export async function startOn(
  dataDir: string,
  env: Record<string, string> = {},
  now: () => number = Date.now,
  log: Logger = createLogger('test', 'silent'),
): Promise<InProcess> {
  const given = { ...stackDefaults, GSQ_DATA_DIR: dataDir, ...env };
  const core = await startCore(loadConfig(settings, given, []), log, now);
  const {
    GSQ_GRPC_ADDR: grpc = '',
    GSQ_INTERNAL_ADDR: internal = '',
    GSQ_CORE_OPS_ADDR: coreOps = '',
  } = core.addresses;
  const { running: gateway, http, ops } = await runGateway(internal, given, {}, now, log);
  const stop = async (): Promise<void> => {
    await Promise.all([hearMetrics('core', coreOps), hearMetrics('gateway', ops)]);
    await gateway.drain();
    await core.drain();
  };
  return { http, grpc, internal, coreOps, stop };
}

/** Starts a core and a gateway with a new data directory. Rejects with ConfigError if a setting is invalid. */
export function startInProcess(
  env: Record<string, string> = {},
  now: () => number = Date.now,
  log?: Logger,
): Promise<InProcess> {
  return startOn(scratchDirectory(), env, now, log);
}
