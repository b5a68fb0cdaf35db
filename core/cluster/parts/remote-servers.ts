import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import type { ChangeServersResponse__Output } from '../../../proto/generated/gsq/v1/ChangeServersResponse.ts';
import { fromGrpcStatus } from '../../../proto/service-error.ts';
import type {
  ClusterServers,
  PartAction,
  PartChange,
  PartResult,
  ServerRef,
} from '../../servers/cluster-servers.ts';
import { MAX_WAIT_MS } from '../../servers/inserter.ts';
import { serverKey } from '../../servers/server-record.ts';
import { bucketOfServer } from '../buckets.ts';
import type { Member, Ownership } from '../ownership.ts';
import type { Peers } from '../peers.ts';
import type { LocalParts } from './local-parts.ts';
import { OwnerCalls } from './owner-calls.ts';
import { changeMessage, type PartRequest } from './part-messages.ts';
import { PartStream } from './part-stream.ts';

/** Time after which a call for servers of other cores fails, ms. It is longer than the takeover of a dead core. */
const DEADLINE_MS = 8_000;

/**
 * Maximum number of servers in one call. Records can have some ten thousand bytes, and the reply to a call must be
 * smaller than the largest message of gRPC clients (64 MiB).
 */
const CALL_SERVERS = 250;

/** Options of `RemoteServers`. */
export interface RemoteServersOptions {
  ownership: Ownership;
  peers: Pick<Peers, 'client' | 'metadata'>;
  /** The servers of this core. They are asked if a server turns out to belong to this core. */
  local: Pick<LocalParts, 'fetch' | 'change'>;
  /** Returns the time in Unix ms. */
  now: () => number;
  /** Time after which a call fails, ms. By default 8 seconds. */
  deadlineMs?: number;
}

/** The servers of all cores of a cluster, by calls of ClusterService to their owners. */
export class RemoteServers implements ClusterServers {
  readonly #options: RemoteServersOptions;
  readonly #calls: OwnerCalls;
  /** The open stream to each other core, keyed by the id of the core. */
  readonly #streams = new Map<string, PartStream>();
  readonly #unwatch: () => void;

  constructor(options: RemoteServersOptions) {
    this.#options = options;
    this.#calls = new OwnerCalls(options.ownership, options.now);
    this.#unwatch = options.ownership.watch(() => this.#cancelLeft());
  }

  isRemote(key: string): boolean {
    return !this.#options.ownership.owns(bucketOfServer(key));
  }

  deadline(waitMs: number): number {
    const { now, deadlineMs = DEADLINE_MS } = this.#options;
    return now() + deadlineMs + Math.min(waitMs, MAX_WAIT_MS);
  }

  async fetch(
    action: PartAction,
    servers: readonly ServerRef[],
    insertedBy: string,
    waitMs: number,
    deadline: number,
  ): Promise<PartResult[]> {
    const { ownership, local } = this.#options;
    const keys = servers.map(({ gameId, address }) => serverKey(gameId, address));
    return this.#calls.askOwners(keys, deadline, (owner, indexes, signal) => {
      const asked = indexes.flatMap(i => servers[i] ?? []);
      if (owner.id === ownership.self.id) return local.fetch(action, asked, insertedBy, waitMs);
      return this.#fetchAt(owner, { action, servers: asked, insertedBy, waitMs }, signal);
    });
  }

  change(change: PartChange, keys: readonly string[]): Promise<boolean[]> {
    const { ownership, local } = this.#options;
    return this.#calls.askOwners(keys, this.deadline(0), (owner, indexes, signal) => {
      const asked = indexes.flatMap(i => keys[i] ?? []);
      if (owner.id === ownership.self.id) return local.change(change, asked);
      return this.#changeAt(owner, change, asked, signal);
    });
  }

  /** Ends all streams. All calls in progress and all later calls fail with CORE_1. */
  close(): void {
    this.#unwatch();
    this.#calls.close();
    for (const stream of this.#streams.values()) stream.cancel();
  }

  async #fetchAt(
    owner: Member,
    request: PartRequest,
    signal: AbortSignal,
  ): Promise<readonly (PartResult | undefined)[]> {
    const stream = this.#streamTo(owner);
    const { servers } = request;
    if (servers.length <= CALL_SERVERS) return stream.fetch(request, signal);
    const calls = [];
    for (let i = 0; i < servers.length; i += CALL_SERVERS)
      calls.push(stream.fetch({ ...request, servers: servers.slice(i, i + CALL_SERVERS) }, signal));
    return (await Promise.all(calls)).flat();
  }

  #streamTo(owner: Member): PartStream {
    const open = this.#streams.get(owner.id);
    if (open) return open;
    const { peers } = this.#options;
    const stream: PartStream = new PartStream(peers.client(owner).fetchParts(peers.metadata), () => {
      if (this.#streams.get(owner.id) === stream) this.#streams.delete(owner.id);
    });
    this.#streams.set(owner.id, stream);
    return stream;
  }

  #cancelLeft(): void {
    const live = new Set(this.#options.ownership.members.map(({ id }) => id));
    for (const [id, stream] of this.#streams) if (!live.has(id)) stream.cancel();
  }

  /**
   * Changes servers at their owner. The result of a server is undefined if the owner must be asked again: the server
   * has moved, or the owner cannot be reached.
   */
  #changeAt(
    owner: Member,
    change: PartChange,
    keys: readonly string[],
    signal: AbortSignal,
  ): Promise<(boolean | undefined)[]> {
    const { peers } = this.#options;
    return new Promise((resolve, reject) => {
      const cancel = (): void => call.cancel();
      const end = (error: GrpcError | null, response?: ChangeServersResponse__Output): void => {
        signal.removeEventListener('abort', cancel);
        const refusal = error && fromGrpcStatus(error);
        if (refusal) reject(refusal);
        else resolve(response?.servers.map(({ done, moved }) => (moved ? undefined : done)) ?? []);
      };
      const call = peers.client(owner).changeServers(changeMessage(change, keys), peers.metadata, end);
      signal.addEventListener('abort', cancel);
    });
  }
}
