import { once } from 'node:events';
import { join } from 'node:path';
import { serviceArguments } from '../../cli/launcher/service-arguments.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { typescript } from '../../runtime/script.ts';
import { Child } from '../system/child.ts';
import { stackDefaults } from '../system/stack-settings.ts';

export const INTERNAL_SECRET = 'a-secret-for-the-fuzz-only';

/**
 * Settings of the fuzzed service. It sends no DNS look-ups to other machines, and its rate limits are so high that the
 * fuzzer does not reach them.
 */
export const fuzzSettings: Readonly<Record<string, string>> = {
  ...stackDefaults,
  GSQ_BURST_LIMIT: '1000000000',
  GSQ_DNS_SERVERS: '127.0.0.1:9',
  GSQ_INTERNAL_SECRET: INTERNAL_SECRET,
  GSQ_LOG_LEVEL: 'error',
};

/** Memory that a fuzzed process uses, in bytes. memory-report.mjs sends it. */
interface MemoryReport {
  /** JavaScript memory in use after a garbage collection, including buffers, in bytes. */
  liveBytes: number;
  rss: number;
}

type Name = 'core' | 'gateway';

async function start(name: Name, env: Record<string, string>): Promise<[Child, ReadyMessage]> {
  const report = new URL('memory-report.mjs', import.meta.url).href;
  const argv = (home: string) => [
    ...['--expose-gc', '--import', typescript, '--import', report],
    ...[...serviceArguments(name), '--data-dir', join(home, 'data')],
  ];
  const child = await Child.start(process.execPath, argv, { env, ipc: true });
  const ended = child.ended.then(() => Promise.reject(new Error(child.report)));
  ended.catch(() => {});
  const [message] = await Promise.race([once(child.process, 'message'), ended]);
  return [child, message];
}

function bound([, ready]: [Child, ReadyMessage], setting: string): string {
  const address = ready.addresses[setting];
  if (address === undefined) throw new Error(`${setting} is not among the bound addresses`);
  return address;
}

/** A core and a gateway, each in a process of its own. There is no prober, so no server is probed. */
export class FuzzedService {
  readonly #processes: Record<Name, [Child, ReadyMessage]>;

  private constructor(processes: Record<Name, [Child, ReadyMessage]>) {
    this.#processes = processes;
  }

  static async start(): Promise<FuzzedService> {
    const core = await start('core', fuzzSettings);
    try {
      const env = { ...fuzzSettings, GSQ_INTERNAL_ADDR: bound(core, 'GSQ_INTERNAL_ADDR') };
      return new FuzzedService({ core, gateway: await start('gateway', env) });
    } catch (error) {
      await core[0].stop('SIGKILL');
      throw error;
    }
  }

  /** `host:port` of the REST interface of the fuzzed gateway. */
  get http(): string {
    return bound(this.#processes.gateway, 'GSQ_HTTP_ADDR');
  }

  /** `host:port` of the public gRPC interface of the fuzzed core. */
  get grpc(): string {
    return bound(this.#processes.core, 'GSQ_GRPC_ADDR');
  }

  /** `host:port` of the internal gRPC interface of the fuzzed core. */
  get internal(): string {
    return bound(this.#processes.core, 'GSQ_INTERNAL_ADDR');
  }

  /** The output of the core and the gateway, for error messages. */
  get report(): string {
    return Object.values(this.#processes)
      .map(([child]) => child.report)
      .join('\n');
  }

  /** Throws if a process of the fuzzed service has exited or has logged an internal error. */
  checkWell(): void {
    for (const [child] of Object.values(this.#processes)) {
      if (!child.running || /"msg":"defect"/.test(child.output)) throw new Error(child.report);
    }
  }

  /** Resolves to the memory that a process uses after a garbage collection. */
  async memory(name: Name): Promise<MemoryReport> {
    const [child] = this.#processes[name];
    child.process.send('memory');
    const [report] = await once(child.process, 'message');
    return report;
  }

  async stop(): Promise<void> {
    await this.#processes.gateway[0].stop();
    await this.#processes.core[0].stop();
  }
}
