import { once } from 'node:events';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { Child } from '../system/child.ts';
import { stackDefaults } from '../system/stack.ts';

/** Room for as many inserts as there are: what is tested here are not the limits. */
const FREE = {
  GSQ_LOG_LEVEL: 'warn',
  GSQ_INSERTS_PER_MINUTE: '100000000',
  GSQ_INSERTS_PER_DAY: '100000000',
  GSQ_MAX_UNPROVEN: '100000000',
  GSQ_MAX_UNPROVEN_PER_TOKEN: '100000000',
  GSQ_MAX_SERVERS: '10000000',
};

/** A core on a data directory that outlives it. */
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

  /** Resolves when it runs, which is long before it is ready. */
  static async spawn(directory: string, env: Record<string, string> = {}): Promise<CoreProcess> {
    const argv = [...serviceArguments('core'), '--data-dir', directory];
    const given = { ...stackDefaults, ...FREE, ...env };
    return new CoreProcess(await Child.start(process.execPath, () => argv, { env: given, ipc: true }));
  }

  /** The same, ready. Rejects with all it said where it ends before that. */
  static async start(directory: string, env: Record<string, string> = {}): Promise<CoreProcess> {
    const core = await CoreProcess.spawn(directory, env);
    await core.#ready;
    return core;
  }

  async address(setting: 'GSQ_GRPC_ADDR' | 'GSQ_INTERNAL_ADDR' | 'GSQ_CORE_OPS_ADDR'): Promise<string> {
    return (await this.#ready).addresses[setting] ?? '';
  }

  /** A figure of its metrics. */
  async metric(name: string): Promise<number> {
    const response = await fetch(`http://${await this.address('GSQ_CORE_OPS_ADDR')}/metrics`);
    const line = (await response.text()).split('\n').find(each => each.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }
}
