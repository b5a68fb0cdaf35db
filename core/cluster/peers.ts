import { type ChannelSecurity, clients, insecure, internalMetadata } from '../../proto/clients.ts';
import type { ClusterServiceClient } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { Member, Ownership } from './ownership.ts';

/** Options of `Peers`, the connections of a core to the other cores. */
export interface PeersOptions {
  ownership: Ownership;
  secret: string;
  /** Returns the TLS credentials of the connection to a core; undefined for a connection without TLS. */
  security: (address: string) => ChannelSecurity | undefined;
}

/**
 * The connections of this core to the other cores of the cluster. The connection to a core that has left the cluster is
 * closed.
 */
export class Peers {
  readonly #options: PeersOptions;
  readonly #clients = new Map<string, ClusterServiceClient>();
  readonly #unwatch: () => void;

  constructor(options: PeersOptions) {
    this.#options = options;
    this.#unwatch = options.ownership.watch(() => this.#closeLeft());
  }

  /** The metadata of each call to another core: it contains the shared secret of the internal ports. */
  get metadata(): ReturnType<typeof internalMetadata> {
    return internalMetadata(this.#options.secret);
  }

  /** The other cores of the cluster. */
  get others(): readonly Member[] {
    const { members, self } = this.#options.ownership;
    return members.filter(({ id }) => id !== self.id);
  }

  /** Returns the client for the calls to another core. */
  client({ id, address }: Member): ClusterServiceClient {
    let client = this.#clients.get(id);
    if (!client) {
      const { credentials, options } = this.#options.security(address) ?? insecure;
      // Turns off the retries of gRPC for calls to other cores. This core makes these calls for its own callers, which
      // already repeat failed calls.
      client = clients.cluster(address, { credentials, options: { ...options, 'grpc.enable_retries': 0 } });
      this.#clients.set(id, client);
    }
    return client;
  }

  close(): void {
    this.#unwatch();
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  #closeLeft(): void {
    const live = new Set(this.#options.ownership.members.map(({ id }) => id));
    for (const [id, client] of this.#clients) {
      if (live.has(id)) continue;
      client.close();
      this.#clients.delete(id);
    }
  }
}
