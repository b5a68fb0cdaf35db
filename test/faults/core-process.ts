import { once } from 'node:events';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { Child } from '../system/child.ts';
import { stackDefaults } from '../system/stack-settings.ts';

/** Settings with very high insert limits, because the fault tests insert many servers and do not check the limits. */
export const FREE = {
  GSQ_LOG_LEVEL: 'warn',
  GSQ_INSERTS_PER_MINUTE: '100000000',
  GSQ_INSERTS_PER_DAY: '100000000',
  GSQ_MAX_UNPROVEN: '100000000',
  GSQ_MAX_UNPROVEN_PER_TOKEN: '100000000',
  GSQ_MAX_SERVERS: '10000000',
};

/** A core process for fault tests. Its data directory is not removed when the process ends. */
export class CoreProcess {
  readonly child: Child;
  readonly #ready: Promise<ReadyMessage>;

  private constructor(child: Child) {
    this.child = child;
    this.#ready = Promise.race([
      once(child.process, 'message').then(([message]): ReadyMessage => message),
      child.ended.then(() => Promise.reject(new Error(child.report))),
    ]);
    this.#ready.catch(() => {});
  }

  /** Starts a core process. Resolves when the process runs, long before the core is ready. */
  static async spawn(directory: string, env: Record<string, string> = {}): Promise<CoreProcess> {
    const argv = [...serviceArguments('core'), '--data-dir', directory];
    const given = { ...stackDefaults, ...FREE, ...env };
    return new CoreProcess(await Child.start(process.execPath, () => argv, { env: given, ipc: true }));
  }

  /**
   * Starts a core process. Resolves when the core is ready. Rejects with the output of the process if the process exits
   * before the core is ready.
   */
  static async start(directory: string, env: Record<string, string> = {}): Promise<CoreProcess> {
    const core = await CoreProcess.spawn(directory, env);
    await core.#ready;
    return core;
  }

  async address(setting: 'GSQ_GRPC_ADDR' | 'GSQ_INTERNAL_ADDR' | 'GSQ_CORE_OPS_ADDR'): Promise<string> {
    return (await this.#ready).addresses[setting] ?? '';
  }

  /** Returns the value of one metric of the core. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`http://${await this.address('GSQ_CORE_OPS_ADDR')}/metrics`);
    const line = (await response.text()).split('\n').find(each => each.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }
}
