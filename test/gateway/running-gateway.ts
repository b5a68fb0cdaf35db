import { after, before, beforeEach } from 'node:test';
import type { GatewayLimits } from '../../gateway/gateway.ts';
import { startGateway } from '../../gateway/gateway.ts';
import type { Running } from '../../runtime/lifecycle.ts';
import { loadConfig } from '../../runtime/load-config.ts';
import { createLogger, type Logger } from '../../runtime/log.ts';
import { settings } from '../../runtime/settings.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { agreeable } from './core-scripts.ts';
import { ScriptedCore } from './scripted-core.ts';

/** A running gateway and its addresses. */
export interface GatewayUnderTest {
  running: Running;
  /** Address of the REST listener, `host:port`. */
  http: string;
  /** Address of the listener for metrics and readiness (ops), `host:port`. */
  ops: string;
}

/** Starts a gateway on free ports. The gateway connects to the core at the address `core`. */
export async function runGateway(
  core: string,
  env: Record<string, string> = {},
  limits: GatewayLimits = {},
  now: () => number = Date.now,
  log: Logger = createLogger('gateway', 'silent'),
): Promise<GatewayUnderTest> {
  const config = loadConfig(
    settings,
    {
      GSQ_HTTP_ADDR: '127.0.0.1:0',
      GSQ_GATEWAY_OPS_ADDR: '127.0.0.1:0',
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
      ...env,
      GSQ_INTERNAL_ADDR: core,
    },
    [],
  );
  const running = await startGateway(config, log, now, limits);
  const { GSQ_HTTP_ADDR: http = '', GSQ_GATEWAY_OPS_ADDR: ops = '' } = running.addresses;
  return { running, http, ops };
}

/**
 * Starts a fake core and a gateway for all tests of a `describe` group. At the start of each test, the core accepts all
 * calls.
 */
export function withGateway(env: Record<string, string> = {}, limits: GatewayLimits = {}) {
  const core = new ScriptedCore();
  const gateway: GatewayUnderTest = { running: { addresses: {}, drain: async () => {} }, http: '', ops: '' };
  before(async () => {
    await core.start();
    Object.assign(gateway, await runGateway(core.address, env, limits));
    await core.until(() => core.streams === 4);
  });
  beforeEach(() => {
    core.script = agreeable;
    core.messages.length = 0;
  });
  after(async () => {
    await gateway.running.drain();
    core.stop();
  });
  return { core, gateway };
}
