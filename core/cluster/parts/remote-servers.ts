import type { ServiceError as GrpcError } from '@grpc/grpc-js';
import type { ChangeServersResponse__Output } from '../../../proto/generated/gsq/v1/ChangeServersResponse.ts';
import { fromGrpcStatus } from '../../../proto/service-error.ts';
import { renderServersMethod } from '../../../proto/streams/render-service.ts';
import type {
  ClusterServers,
  PartAction,
  PartChange,
  PartResult,
  ServerOwner,
  ServerRef,
} from '../../servers/cluster-servers.ts';
import { MAX_WAIT_MS } from '../../servers/inserter.ts';
import { serverKey } from '../../servers/server-record.ts';
import { bucketOfAddress } from '../address-bucket.ts';
import { bucketOfServer } from '../buckets.ts';
import type { Member, Ownership } from '../ownership.ts';
import type { Peers } from '../peers.ts';
import type { LocalParts } from './local-parts.ts';
import { MemberStreams } from './member-streams.ts';
import { OwnerCalls } from './owner-calls.ts';
import { changeMessage, type PartRequest } from './part-messages.ts';
import { PartStream } from './part-stream.ts';
import { RenderStream } from './render-stream.ts';

/**
 * Time limit of a call that reads or changes servers of other cores, ms. If one of these cores dies, a different core
 * takes over its servers within this time, so the call can still succeed.
 */
const DEADLINE_MS = 8_000;

/**
 * Maximum number of servers in one call to another core. It keeps the reply smaller than the largest message of gRPC
 * clients (64 MiB): the record of one server can have tens of thousands of bytes.
 */
const CALL_SERVERS = 250;

/** Options of `RemoteServers`, which calls the cores that own servers. */
export interface RemoteServersOptions {
  ownership: Ownership;
  peers: Pick<Peers, 'client' | 'metadata'>;
  /**
   * Reads and changes servers that this core itself owns. Needed when a server has moved to this core after the call
   * began.
   */
  local: Pick<LocalParts, 'fetch' | 'change'>;
  /** Returns the time in Unix ms. */
  now: () => number;
  /** Time after which a call fails, ms. By default 8 seconds. */
  deadlineMs?: number;
}

/** Reads and changes the servers of all cores of a cluster, by ClusterService calls to the cores that own them. */
export class RemoteServers implements ClusterServers {
  readonly #options: RemoteServersOptions;
  readonly #calls: OwnerCalls;
  readonly #partStreams: MemberStreams<PartStream>;
  readonly #renderStreams: MemberStreams<RenderStream>;
  #isClosed = false;

  constructor(options: RemoteServersOptions) {
    const { ownership, peers, now, deadlineMs = DEADLINE_MS } = options;
    this.#options = options;
    this.#calls = new OwnerCalls(ownership, now);
    this.#partStreams = new MemberStreams(
      ownership,
      (owner, onEnd) => new PartStream(peers.client(owner).fetchParts(peers.metadata), onEnd),
    );
    const { path, serialize, deserialize } = renderServersMethod;
    this.#renderStreams = new MemberStreams(ownership, (owner, onEnd) => {
      const client = peers.client(owner);
      const duplex = client.makeBidiStreamRequest(path, serialize, deserialize, peers.metadata);
      return new RenderStream(duplex, deadlineMs, onEnd);
    });
  }

  get isPaused(): boolean {
    return !this.#options.ownership.isValid;
  }

  isRemote(key: string): boolean {
    return !this.#options.ownership.owns(bucketOfServer(key));
  }

  ownerAt(text: Buffer, start: number, end: number): ServerOwner | undefined {
    if (this.#isClosed) return undefined;
    const { ownership } = this.#options;
    const owner = ownership.ownerOf(bucketOfAddress(text, start, end));
    return owner && owner.id !== ownership.self.id ? this.#renderStreams.streamTo(owner) : undefined;
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
    this.#isClosed = true;
    this.#calls.close();
    this.#partStreams.close();
    this.#renderStreams.close();
  }

  async #fetchAt(
    owner: Member,
    request: PartRequest,
    signal: AbortSignal,
  ): Promise<readonly (PartResult | undefined)[]> {
    const stream = this.#partStreams.streamTo(owner);
    const { servers } = request;
    if (servers.length <= CALL_SERVERS) return stream.fetch(request, signal);
    const calls = [];
    for (let i = 0; i < servers.length; i += CALL_SERVERS)
      calls.push(stream.fetch({ ...request, servers: servers.slice(i, i + CALL_SERVERS) }, signal));
    return (await Promise.all(calls)).flat();
  }

  /**
   * Changes servers at the core that owns them. The result of a server is undefined if the server has moved, or if the
   * core cannot be reached. The caller must then ask the owner again.
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
