import type { TestContext } from 'node:test';
import type { Server } from '@grpc/grpc-js';
import { bucketOfServer, SERVER_BUCKETS } from '../../../core/cluster/buckets.ts';
import { ClusterFeed } from '../../../core/cluster/cluster-feed.ts';
import type { ClusterRecords } from '../../../core/cluster/cluster-records.ts';
import { KnownRecords } from '../../../core/cluster/known-records.ts';
import type { Later } from '../../../core/cluster/later.ts';
import type { Member, Ownership } from '../../../core/cluster/ownership.ts';
import { Peers } from '../../../core/cluster/peers.ts';
import type { ChangeFeed } from '../../../core/feed/change-feed.ts';
import { type FollowChangesDependencies, followChanges } from '../../../core/rpc/follow-changes.ts';
import { createInternalServer, listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { internalGuard } from '../../../core/rpc/internal-guard.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { ServiceError } from '../../../proto/service-error.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';
import { clockAt } from '../clock.ts';
import { feedOf } from '../feed/feed-of.ts';
import { payloadOf } from '../payload-of.ts';
import { onlineRecord } from '../record-of.ts';

const SECRET = 'a-secret-of-the-internal-port-of-the-tests';
export const freshness = { staleAfterMs: 600_000, probeIntervalMs: 60_000 };
/**
 * Timers with a delay up to this time (ms) run after 2 ms. Timers with a longer delay run only when a test calls
 * `fire`.
 */
const SHORT_MS = 1_000;

/**
 * The owners of all buckets (groups of servers), as one core knows them. The core learns of a change only when the test
 * calls `update`.
 */
class View implements Ownership {
  readonly self: Member;
  readonly #world: FeedWorld;
  readonly #listeners = new Set<() => void>();
  members: readonly Member[] = [];
  readonly lead = undefined;
  readonly isValid = true;
  /** Number of calls of `refresh`. A core calls this method to ask which core now owns which servers. */
  refreshes = 0;
  #owners: (Member | undefined)[] = [];

  constructor(world: FeedWorld, self: Member) {
    this.#world = world;
    this.self = self;
  }

  owns(bucket: number): boolean {
    return (
      this.#owners[bucket]?.id === this.self.id && this.#world.owners[bucket]?.member.id === this.self.id
    );
  }

  ownerOf(bucket: number): Member | undefined {
    return this.#owners[bucket];
  }

  refresh(): void {
    this.refreshes++;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(): void {}

  /** Updates what the core knows: the cluster members, and the owner of each group of servers. */
  update(): void {
    this.members = [...this.#world.cores.values()].map(({ member }) => member);
    this.#owners = this.#world.owners.map(owner => owner?.member);
    for (const listener of this.#listeners) listener();
  }
}

/**
 * One core of a simulated cluster: a table of game servers, its change feed, and the real gRPC server and client of
 * FollowChanges (a stream of changes between cores).
 */
export interface WorldCore {
  member: Member;
  view: View;
  table: Map<string, ServerRecord>;
  own: ChangeFeed;
  changes: ServerChanges;
  following: FollowChangesDependencies;
  streams: AbortController;
  feed: ClusterFeed;
  peers: Peers;
  server: Server;
}

/**
 * A simulated cluster for tests: several cores, each with a part of the game servers. JavaScript `Map` objects replace
 * the server tables and the storage engine. The test decides which core owns which servers.
 */
export class FeedWorld {
  readonly clock = clockAt();
  readonly cores = new Map<string, WorldCore>();
  /** The real owner of each bucket of servers. Some cores may not know this owner yet. */
  readonly owners: (WorldCore | undefined)[] = Array.from({ length: SERVER_BUCKETS }, () => undefined);
  /** The records of game servers in the simulated storage engine, keyed by `serverKey`. */
  readonly stored = new Map<string, ServerRecord>();
  /** Number of server records that `ClusterRecords` has read. */
  reads = 0;
  /**
   * Called before and after each read of `ClusterRecords`. The read waits for the returned promise, so that a test can
   * delay the read.
   */
  delay: () => Promise<unknown> = () => new Promise(setImmediate);
  readonly #timers: { ms: number; run: () => void }[] = [];
  readonly #t: TestContext;
  readonly #knownBytes: number | undefined;

  constructor(t: TestContext, knownBytes?: number) {
    this.#t = t;
    this.#knownBytes = knownBytes;
  }

  readonly later: Later = (ms, run) => {
    if (ms <= SHORT_MS) {
      const timer = setTimeout(run, 2);
      return () => clearTimeout(timer);
    }
    const timer = { ms, run };
    this.#timers.push(timer);
    return () => {
      const at = this.#timers.indexOf(timer);
      if (at >= 0) this.#timers.splice(at, 1);
    };
  };

  /** Runs all waiting timers whose delay is `ms`. */
  fire(ms: number): void {
    for (const timer of this.#timers.filter(each => each.ms === ms)) {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      timer.run();
    }
  }

  async addCore(id: string): Promise<WorldCore> {
    const own = feedOf(100_000);

    const changes = new ServerChanges();
    const streams = new AbortController();
    const following: FollowChangesDependencies = {
      feed: own,
      changes,
      closing: streams.signal,
    };
    const handlers = new Handlers(internalGuard(SECRET), error => console.error(error));
    const server = createInternalServer();
    server.addService(gsqV1.ClusterService.service, { FollowChanges: followChanges(following, handlers) });
    const address = formatEndpoint(await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 }));
    const member = { id, address };
    const view = new View(this, member);
    const peers = new Peers({ ownership: view, secret: SECRET, security: () => undefined });
    const table = new Map<string, ServerRecord>();
    const store = { getMany: (keys: readonly string[]) => keys.map(key => table.get(key)) };
    const { later, clock } = this;
    const feed = new ClusterFeed({
      ...{ own, store, changes, ownership: view, peers, records: this.#records(), freshness, later },
      now: clock.now,
      ...(this.#knownBytes === undefined ? {} : { known: new KnownRecords(this.#knownBytes) }),
    });
    const core = { member, view, table, own, changes, following, streams, feed, peers, server };
    this.cores.set(id, core);
    this.#t.after(() => this.#close(core));
    return core;
  }

  /** Starts cores, and assigns the groups of servers to them in turn. */
  async start(...ids: string[]): Promise<WorldCore[]> {
    const cores: WorldCore[] = [];
    for (const id of ids) cores.push(await this.addCore(id));
    for (let bucket = 0; bucket < SERVER_BUCKETS; bucket++)
      this.owners[bucket] = cores[bucket % cores.length];
    this.update();
    return cores;
  }

  /** Tells all cores the present members of the cluster, and which core owns which servers. */
  update(): void {
    for (const { view } of this.cores.values()) view.update();
  }

  /**
   * Moves a bucket of servers to another core, which loads the servers from the storage engine. The last
   * changes of the old owner are in the storage engine only if `isSaved`.
   */
  move(bucket: number, to: WorldCore | undefined, isSaved = true): void {
    const from = this.owners[bucket];
    for (const [key, record] of from?.table ?? []) {
      if (bucketOfServer(key) !== bucket) continue;
      if (isSaved) this.stored.set(key, record);
      from?.table.delete(key);
    }
    this.owners[bucket] = to;
    if (!to) return;
    for (const [key, record] of this.stored) if (bucketOfServer(key) === bucket) to.table.set(key, record);
  }

  /** Kills a core before it saves its last changes. Its servers then have no owner. */
  kill(core: WorldCore): void {
    this.cores.delete(core.member.id);
    for (const [bucket, owner] of this.owners.entries())
      if (owner === core) this.move(bucket, undefined, false);
    core.server.forceShutdown();
  }

  /**
   * Ends the streams on which a core sends its changes to other cores. New streams end immediately, until
   * `startStreams` is called.
   */
  stopStreams(core: WorldCore): void {
    core.streams.abort();
  }

  startStreams(core: WorldCore): void {
    core.streams = new AbortController();
    core.following.closing = core.streams.signal;
  }

  /** Returns the record of a game server from the table of the core that really owns this server. */
  truth(key: string): ServerRecord | undefined {
    return this.owners[bucketOfServer(key)]?.table.get(key);
  }

  insert(key: string): void {
    const [gameId = '', address = ''] = key.split(' ');
    const record = newRecord(gameId, address, 'tok_1', this.clock.now(), 60_000);
    this.owners[bucketOfServer(key)]?.table.set(key, record);
    this.stored.set(key, record);
    this.owners[bucketOfServer(key)]?.own.publishInsert(record);
  }

  remove(key: string): void {
    const before = this.truth(key);
    this.owners[bucketOfServer(key)]?.table.delete(key);
    this.stored.delete(key);
    if (before) this.owners[bucketOfServer(key)]?.own.publishRemoval(before);
  }

  /**
   * Simulates a probe that finds `players` players on a game server. The change is stored in the storage engine only if
   * `isSaved`.
   */
  probe(key: string, players: number, isSaved = true): void {
    const before = this.truth(key);
    const owner = this.owners[bucketOfServer(key)];
    if (!before || !owner) return;
    const payload = payloadOf({ players });
    const after = onlineRecord(before, this.clock.now(), { payload });
    const change = owner.own.compare(before, after, payload.visibleEnd, this.clock.now());
    owner.table.set(key, after);
    if (isSaved) this.stored.set(key, after);
    owner.changes.publish(after);
    if (change) owner.own.publish(change);
  }

  /**
   * Returns a `ClusterRecords` that reads each record from the real owner of the server. It rejects if the bucket of a
   * server has no owner.
   */
  #records(): ClusterRecords {
    const known = (key: string): ServerRecord | undefined => {
      if (!this.owners[bucketOfServer(key)]) throw new ServiceError('CORE_1', 'a bucket has no owner');
      return this.truth(key);
    };
    return {
      readRecords: async keys => {
        await this.delay();
        this.reads += keys.length;
        const read = keys.map(known);
        await this.delay();
        return read;
      },
      keyPages: async function* (this: FeedWorld, prefix: string, size: number) {
        await this.delay();
        const keys = [...this.stored.keys()].filter(key => key.startsWith(prefix)).sort();
        await this.delay();
        for (let at = 0; at <= keys.length; at += size) yield keys.slice(at, at + size);
      }.bind(this),
    };
  }

  #close({ feed, peers, server }: WorldCore): void {
    feed.close();
    peers.close();
    server.forceShutdown();
  }
}
