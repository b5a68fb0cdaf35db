import type { Metadata } from '@grpc/grpc-js';
import type { Members } from '../proto/cluster/members.ts';
import type { ProbeServiceClient } from '../proto/generated/gsq/v1/ProbeService.ts';
import { Session, type SessionOptions } from './session.ts';

/** Options of `Sessions`, the sessions of a prober with the cores. */
export interface SessionsOptions extends Pick<SessionOptions, 'prober' | 'probe' | 'log'> {
  members: Pick<Members, 'addresses' | 'watch'>;
  /** Creates the gRPC client for the core at an address, `host:port`. */
  clientOf: (address: string) => ProbeServiceClient;
  metadata: Metadata;
  /** Maximum number of leases (orders to probe) that the prober accepts from all cores together. */
  maxInFlight: number;
}

interface OpenSession {
  session: Session;
  client: ProbeServiceClient;
}

/**
 * The sessions of a prober, one with each core of the cluster. The maximum number of leases (orders to probe) is
 * divided equally among the sessions. When the list of cores changes, the prober can briefly exceed this maximum.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, OpenSession>();
  /**
   * Sessions that the prober is closing, for example with a core that has left the cluster. Before a session ends, it
   * sends the reports that were not sent yet.
   */
  readonly #closing = new Set<Promise<void>>();
  readonly #unwatch: () => void;

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#unwatch = options.members.watch(() => this.#followMembers());
    this.#followMembers();
  }

  /** True while the prober has a session with at least one core. */
  get connected(): boolean {
    return [...this.#sessions.values()].some(({ session }) => session.connected);
  }

  /** Sends each core the reports that were not sent yet, and then ends all sessions. */
  async close(): Promise<void> {
    this.#unwatch();
    for (const address of [...this.#sessions.keys()]) this.#closeSession(address);
    await Promise.all(this.#closing);
  }

  #followMembers(): void {
    const { members, maxInFlight } = this.#options;
    const { addresses } = members;
    const share = Math.max(1, Math.floor(maxInFlight / addresses.length));
    for (const address of [...this.#sessions.keys()]) {
      if (!addresses.includes(address)) this.#closeSession(address);
    }
    for (const address of addresses) {
      const open = this.#sessions.get(address);
      if (open) open.session.announceCapacity(share);
      else this.#openSession(address, share);
    }
  }

  #openSession(address: string, maxInFlight: number): void {
    const { clientOf, metadata, prober, probe, log } = this.#options;
    const client = clientOf(address);
    const session = new Session({ client, metadata, prober, maxInFlight, probe, log });
    this.#sessions.set(address, { session, client });
  }

  #closeSession(address: string): void {
    const open = this.#sessions.get(address);
    if (!open) return;
    this.#sessions.delete(address);
    const closed = open.session.close().then(() => {
      open.client.close();
      this.#closing.delete(closed);
    });
    this.#closing.add(closed);
  }
}
