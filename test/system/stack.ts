import type { EngineCluster } from '../engines/engine-cluster.ts';
import type { EngineKind } from '../engines/engine-program.ts';
import { hearMetrics } from './hearing.ts';
import { ServiceProcess } from './service-process.ts';
import { startCores } from './stack-cores.ts';
import { OPS_ADDR, type ProcessName, processNames, stackDefaults } from './stack-settings.ts';

/** Number of gateways that a test stack with several cores starts. */
const GATEWAYS = 2;

export interface StackOptions {
  /** GSQ_* settings for every process of the test stack, in addition to the defaults in stack-settings.ts. */
  env?: Record<string, string>;
  /** The processes of the test stack to run. By default, all four run: core, gateway, prober and notifier. */
  processes?: readonly ProcessName[];
  /** Number of prober processes, if `processes` contains `prober`. The default is the number of cores. */
  probers?: number;
  /**
   * The store of the test stack: `embedded`, or the engine to start (Redis or Valkey). The default is TEST_STORE, or
   * `embedded` if TEST_STORE is not set or `env` contains GSQ_DATA_DIR.
   */
  store?: EngineKind | 'embedded';
  /**
   * Number of cores. Several cores need a Redis or Valkey as the store, and run with two gateways and as many probers
   * as cores. The default is TEST_CORES if TEST_STORE is set, or else 1.
   */
  cores?: number;
}

/** Starts the Redis or Valkey node of a test stack. Resolves to undefined if the stack uses the embedded store. */
async function startEngine(kind: EngineKind | 'embedded'): Promise<EngineCluster | undefined> {
  if (kind === 'embedded') return undefined;
  return (await import('../engines/engine-cluster.ts')).EngineCluster.startSingle(kind);
}

/** Returns the number of processes with this name in a test stack with `cores` cores. */
function countOf(name: ProcessName, cores: number): number {
  if (cores === 1 || name === 'notifier') return 1;
  return name === 'gateway' ? GATEWAYS : cores;
}

/**
 * Runs gsq as separate processes (cores, gateways, probers, notifier), which are allowed to probe loopback addresses.
 */
export class Stack {
  /**
   * The processes of the stack by name, in the order in which they were started. The first core is the lead, which
   * writes tokens and webhooks.
   */
  readonly #processes: ReadonlyMap<ProcessName, ServiceProcess[]>;
  readonly #engine: EngineCluster | undefined;
  /**
   * Number of calls of `#next` for each address setting, such as GSQ_HTTP_ADDR. From this number, `#next` chooses the
   * process whose address it returns, so that all processes take turns.
   */
  readonly #turns = new Map<string, number>();

  private constructor(
    processes: ReadonlyMap<ProcessName, ServiceProcess[]>,
    engine: EngineCluster | undefined,
  ) {
    this.#processes = processes;
    this.#engine = engine;
  }

  static async start(options: StackOptions = {}): Promise<Stack> {
    const { env = {}, processes = processNames, probers } = options;
    const { TEST_STORE, TEST_CORES } = process.env;
    // If the test sets a data directory, the stack uses the embedded store in this directory.
    const isShared = TEST_STORE !== undefined && env.GSQ_DATA_DIR === undefined;
    const { store = isShared ? (TEST_STORE as EngineKind) : 'embedded' } = options;
    const { cores: count = isShared ? Number(TEST_CORES ?? 1) : 1 } = options;
    const engine = await startEngine(store);
    const settings: Record<string, string> = {
      ...stackDefaults,
      ...(engine && { GSQ_STORE: engine.url }),
      ...env,
    };
    const cores: ServiceProcess[] = [];
    const started = new Map<ProcessName, ServiceProcess[]>([['core', cores]]);
    try {
      await startCores(count, settings, cores);
      const starting = processes
        .filter(name => name !== 'core')
        .flatMap(name => {
          const total = (name === 'prober' ? probers : undefined) ?? countOf(name, count);
          const ofName: ServiceProcess[] = [];
          started.set(name, ofName);
          return Array.from({ length: total }, async (_, i) => {
            // The settings of the process contain the address of only one core. The process asks this core for the
            // addresses of all cores.
            const core = cores[(i + 1) % cores.length] as ServiceProcess;
            const { GSQ_INTERNAL_ADDR = '', GSQ_CORE_OPS_ADDR = '' } = core.ready.addresses;
            const given = { ...settings, GSQ_INTERNAL_ADDR, GSQ_CORE_OPS_ADDR };
            ofName.push(await ServiceProcess.start(name, given));
          });
        });
      const failed = (await Promise.allSettled(starting)).find(result => result.status === 'rejected');
      if (failed) throw failed.reason;
      return new Stack(started, engine);
    } catch (error) {
      await Promise.all([...started.values()].flat().map(({ child }) => child.stop('SIGKILL')));
      await engine?.stop();
      throw error;
    }
  }

  /** Returns the first process with this name, such as `gateway`. The first core writes tokens and webhooks. */
  process(name: ProcessName): ServiceProcess {
    const [found] = this.processes(name);
    if (!found) throw new Error(`this stack runs no ${name}`);
    return found;
  }

  /** Returns all processes with this name, such as `gateway`. */
  processes(name: ProcessName): readonly ServiceProcess[] {
    return this.#processes.get(name) ?? [];
  }

  /**
   * Address of a REST gateway, `host:port`. With several gateways, each read returns the address of the next gateway in
   * turn.
   */
  get http(): string {
    return this.#next('gateway', 'GSQ_HTTP_ADDR');
  }

  /**
   * Address of the public gRPC port of a core, `host:port`. With several cores, each read returns the address of the
   * next core in turn.
   */
  get grpc(): string {
    return this.#next('core', 'GSQ_GRPC_ADDR');
  }

  /**
   * Address of the internal gRPC port of a core, `host:port`. With several cores, each read returns the address of the
   * next core in turn.
   */
  get internal(): string {
    return this.#next('core', 'GSQ_INTERNAL_ADDR');
  }

  /** Addresses of the internal gRPC ports of all cores, `host:port`. */
  get internals(): string[] {
    return this.processes('core').map(core => core.address('GSQ_INTERNAL_ADDR'));
  }

  /** Recent output of all processes of the stack, for error messages. */
  get report(): string {
    return [...this.#processes.values()]
      .flat()
      .map(({ child }) => child.report)
      .join('\n');
  }

  /**
   * Stops all processes with SIGTERM, the cores last. Rejects if a process exits with a status other than 0. Ignores
   * processes that a test has killed with SIGKILL.
   */
  async stop(): Promise<void> {
    const up = [...this.#processes].flatMap(([name, all]) => all.map(each => ({ name, each })));
    const running = up.filter(({ each }) => each.child.running);
    await Promise.all(running.map(({ name, each }) => hearMetrics(name, each.address(OPS_ADDR[name]))));
    const faults: string[] = [];
    for (const name of processNames.toReversed()) {
      const stopping = this.processes(name).map(async ({ child }) => {
        const ending = await child.stop();
        if (ending !== 0 && ending !== 'SIGKILL') faults.push(child.report);
      });
      await Promise.all(stopping);
    }
    await this.#engine?.stop();
    if (faults.length > 0) throw new Error(`did not drain\n${faults.join('\n')}`);
  }

  /**
   * Returns an address of one of the processes with this name. `setting` configures this address, for example
   * GSQ_HTTP_ADDR. Repeated calls for the same setting return the addresses of all processes in turn, beginning with
   * the second process.
   */
  #next(name: ProcessName, setting: string): string {
    const all = this.processes(name);
    const turn = (this.#turns.get(setting) ?? 0) + 1;
    this.#turns.set(setting, turn);
    return (all[turn % all.length] ?? this.process(name)).address(setting);
  }
}
