import { after, before } from 'node:test';
import { ServiceProcess } from '../system/service-process.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';

/**
 * Starts a core before the tests of a `describe` group. `settings`: additional settings of the core. Returns the
 * settings for gsq commands; the object is empty until the core has started.
 */
export function withCore(settings: Record<string, string> = {}): Record<string, string> {
  const env: Record<string, string> = {};
  let core: ServiceProcess;
  before(async () => {
    core = await ServiceProcess.start('core', {
      GSQ_GRPC_ADDR: '127.0.0.1:0',
      GSQ_INTERNAL_ADDR: '127.0.0.1:0',
      GSQ_CORE_OPS_ADDR: '127.0.0.1:0',
      GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
      GSQ_ALLOW_TARGETS: '127.0.0.0/8',
      ...settings,
    });
    const { GSQ_INTERNAL_ADDR = '' } = core.ready.addresses;
    Object.assign(env, { GSQ_INTERNAL_ADDR, GSQ_INTERNAL_SECRET: INTERNAL_SECRET });
  });
  after(() => core.child.stop());
  return env;
}
