import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { fetchOne } from './rest.ts';
import { online, ScriptedProber } from './scripted-prober.ts';

/** A core process and a gateway process. A fake prober in the test process reports the results that a test sets. */
export class ScriptedStack {
  readonly prober: ScriptedProber;
  readonly #stack: Stack;

  private constructor(stack: Stack) {
    this.#stack = stack;
    this.prober = new ScriptedProber(stack.internals);
  }

  /** Starts the core and the gateway. `env` contains GSQ_* settings in addition to the defaults of a test stack. */
  static async start(env: Record<string, string> = {}): Promise<ScriptedStack> {
    return new ScriptedStack(await Stack.start({ env, processes: ['core', 'gateway'] }));
  }

  async stop(): Promise<void> {
    this.prober.leave();
    await this.#stack.stop();
  }

  /** Address of the REST gateway, `host:port`. */
  get http(): string {
    return this.#stack.http;
  }

  /** Address of the public gRPC port, `host:port`. */
  get grpc(): string {
    return this.#stack.grpc;
  }

  /**
   * Address of the internal gRPC port of a core, `host:port`. If there are several cores, each read of this property
   * returns the address of the next core in turn.
   */
  get internal(): string {
    return this.#stack.internal;
  }

  /** Addresses of the internal gRPC ports of all cores, `host:port`. */
  get internals(): string[] {
    return this.#stack.internals;
  }

  /** Reports a server as online, and waits until a fetch shows it as online. */
  async becomesOnline(gameId: string, address: string): Promise<void> {
    this.prober.find(gameId, address, online());
    const look = () => fetchOne(this.http, gameId, address);
    await until(`${gameId} ${address} online`, look, ({ _updater }) => _updater.status === 'online');
  }
}
