import type { Members } from './members.ts';

/**
 * The cores for which `CoreClients` keeps gRPC clients: their addresses, and a method that reports changes of the
 * addresses.
 */
type Cores = Pick<Members, 'addresses' | 'watch'>;

/** The gRPC clients of one service, one client for each core. If a core leaves the cluster, its client is closed. */
export class CoreClients<C extends { close(): void }> {
  readonly #create: (address: string) => C;
  readonly #leaveMs: number;
  readonly #clients = new Map<string, C>();
  /** gRPC clients of cores that have left the cluster, each with the timer that closes it. */
  readonly #leaving = new Map<C, NodeJS.Timeout>();
  readonly #unwatch: () => void;

  /**
   * `create`: creates the gRPC client for the core at an address, `host:port`. `leaveMs`: time from when a core
   * leaves the cluster until its client is closed, in ms. Unfinished calls of a closed client fail after about a
   * second.
   */
  constructor(cores: Cores, create: (address: string) => C, leaveMs = 0) {
    this.#create = create;
    this.#leaveMs = leaveMs;
    this.#unwatch = cores.watch(() => this.#closeLeft(new Set(cores.addresses)));
  }

  /** Returns the gRPC client for the core at `address`. Creates the client when it is first needed. */
  clientOf(address: string): C {
    let client = this.#clients.get(address);
    if (!client) {
      client = this.#create(address);
      this.#clients.set(address, client);
    }
    return client;
  }

  /** The gRPC clients for the cores that are in the cluster now. */
  get open(): Iterable<C> {
    return this.#clients.values();
  }

  /** Closes the gRPC clients for all cores. */
  close(): void {
    this.#unwatch();
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    for (const client of [...this.#clients.values(), ...this.#leaving.keys()]) client.close();
    this.#clients.clear();
    this.#leaving.clear();
  }

  #closeLeft(addresses: ReadonlySet<string>): void {
    for (const [address, client] of this.#clients) {
      if (addresses.has(address)) continue;
      this.#clients.delete(address);
      if (this.#leaveMs === 0) client.close();
      else this.#leaving.set(client, setTimeout(() => this.#closeLeaving(client), this.#leaveMs).unref());
    }
  }

  #closeLeaving(client: C): void {
    this.#leaving.delete(client);
    client.close();
  }
}
