import { ServiceError } from '../../proto/service-error.ts';
import { ChangeFeed } from '../feed/change-feed.ts';
import type { FeedSource, RecordPage } from '../feed/feed-source.ts';
import { type FreshnessRules, shownStatus } from '../servers/freshness.ts';
import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import { bucketOfServer } from './buckets.ts';
import type { ClusterRecords } from './cluster-records.ts';
import { FeedFollowers, type WideReader } from './feed-followers.ts';
import { FeedFollowing } from './feed-following.ts';
import { KnownRecords } from './known-records.ts';
import type { Later } from './later.ts';
import type { Ownership } from './ownership.ts';
import { PeerProbes } from './peer-probes.ts';
import type { Peers } from './peers.ts';

/** Maximum time that a new reader of the change feed waits until this core follows the changes of all cores, ms. */
const OPEN_WAIT_MS = 2_000;
/**
 * Time for which this core continues to follow the changes of the other cores after the last reader has left, ms. A
 * reader can resume its stream in this time.
 */
const LINGER_MS = 60_000;
/**
 * Maximum age of a cached server record that can still be used, ms. If the record is older, it is read again from the
 * core that owns the server.
 */
const FRESH_MS = 10_000;
/**
 * Maximum number of attempts to read the same server records. An attempt fails if the change feed becomes complete or
 * incomplete during the read, for example because servers move to another core.
 */
const MAX_READS = 3;

const MOVING = new ServiceError('CORE_1', 'Servers are moving to another core; try again.', {
  retryAfterSeconds: 1,
});

/** Dependencies of `ClusterFeed` (a change feed with the servers of all cores). */
export interface ClusterFeedDependencies {
  /** The change feed of the servers that this core owns. */
  own: ChangeFeed;
  store: Pick<ServerStore, 'getMany'>;
  /** Passes each new record of a server that this core owns to the subscribers of the server. */
  changes: ServerChanges;
  ownership: Ownership;
  peers: Peers;
  records: ClusterRecords;
  freshness: FreshnessRules;
  now: () => number;
  later: Later;
  /**
   * Cache of the server records that the readers of the change feed have received. The default cache keeps at most 64
   * MiB.
   */
  known?: KnownRecords;
}

/**
 * A change feed for the servers of all cores. It publishes the changes of one server in their order. If this core has
 * missed changes of a server, the feed publishes only the difference between the last known state and the current
 * state.
 */
export class ClusterFeed implements FeedSource {
  /**
   * The change feed that this core sends to its clients. Each core of the cluster has its own order of changes and its
   * own resume tokens.
   */
  readonly feed: ChangeFeed;
  readonly #dependencies: ClusterFeedDependencies;
  /**
   * Cache of the server records that readers of the change feed have got. Its total size is limited, so it drops old
   * records. After the record of a server is dropped, a reader can get the same state of this server twice, or must
   * begin again with a snapshot (the list of all servers).
   */
  readonly #known: KnownRecords;
  readonly #followers: FeedFollowers;
  /**
   * Functions to call when the change feed of the cluster becomes complete: from then on, no changes of servers are
   * missing any more.
   */
  readonly #waiting = new Set<() => void>();
  #readers = 0;
  /**
   * Counts how often the change feed became incomplete or complete. While it is incomplete, changes of some servers may
   * be missing.
   */
  #turns = 0;
  /** Receives the changes of the other cores. Undefined only if the feed has no readers. */
  #following: FeedFollowing | undefined;
  #cancelStop: (() => void) | undefined;

  constructor(dependencies: ClusterFeedDependencies) {
    this.#dependencies = dependencies;
    this.#known = dependencies.known ?? new KnownRecords();
    this.feed = new ChangeFeed(dependencies.freshness);
    this.feed.renewId(false);
    this.#followers = new FeedFollowers(this.feed);
  }

  async open(): Promise<() => void> {
    this.#readers++;
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    if (!this.#following) this.#start();
    if (!this.feed.isGapless) await this.#gapless();
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (--this.#readers === 0) this.#cancelStop = this.#dependencies.later(LINGER_MS, () => this.close());
    };
  }

  /**
   * Adds a reader of all changes, and returns a function that removes the reader. Call this method only after `open`
   * has resolved. Before that, the feed can report unchanged servers as changed.
   */
  addWideReader(reader: WideReader): () => void {
    return this.#followers.add(reader);
  }

  /**
   * Returns the record of a server if this core owns the server or has received the record recently. Otherwise returns
   * `unread`: the record must be read with `lookUp`.
   */
  newestOf(key: string): ServerRecord | 'unread' | undefined {
    const { ownership, store, now } = this.#dependencies;
    if (ownership.owns(bucketOfServer(key))) return store.getMany([key])[0];
    const known = this.#known.get(key);
    return known?.isCurrent && now() - known.newestAt <= FRESH_MS ? known.newest : 'unread';
  }

  recordOf(key: string): ServerRecord | undefined | Promise<ServerRecord | undefined> {
    const newest = this.newestOf(key);
    return newest === 'unread' ? this.#read([key]).then(([record]) => record) : newest;
  }

  async lookUp(keys: readonly string[]): Promise<(key: string) => ServerRecord | undefined> {
    const records = keys.length === 0 ? [] : await this.#read(keys);
    const byKey = new Map(keys.map((key, i) => [key, records[i]]));
    return key => byKey.get(key);
  }

  async *pages(prefix: string, size: number): AsyncGenerator<RecordPage, undefined> {
    for await (const keys of this.#dependencies.records.keyPages(prefix, size)) {
      const records = (await this.#read(keys)).filter(record => record !== undefined);
      yield { records, isLast: keys.length < size };
    }
  }

  probesAfter(records: readonly ServerRecord[]): Pick<ServerChanges, 'follow'> {
    const { changes, ownership, peers, later } = this.#dependencies;
    const readRecords = (keys: readonly string[]) => this.#dependencies.records.readRecords(keys);
    return new PeerProbes({ changes, ownership, peers, readRecords, later }, records);
  }

  /** Stops following the changes of the other cores. Clients can then no longer resume their streams of changes. */
  close(): void {
    this.#following?.stop();
    this.#following = undefined;
    this.#known.clear();
    this.#setGapless(false);
  }

  #start(): void {
    const { own, ownership, peers, records, freshness, now, later } = this.#dependencies;
    const [feed, known, followers] = [this.feed, this.#known, this.#followers];
    this.#following = new FeedFollowing({
      ...{ own, ownership, peers, records, freshness, now, later, feed, known, followers },
      onChange: isGapless => this.#setGapless(isGapless),
    });
  }

  #setGapless(isGapless: boolean): void {
    this.feed.renewId(isGapless);
    this.#turns++;
    if (isGapless) for (const go of this.#waiting) go();
  }

  /** Resolves when the feed is gapless (no changes are missing any more), but at the latest after OPEN_WAIT_MS. */
  async #gapless(): Promise<void> {
    await new Promise<void>(resolve => {
      const go = (): void => {
        this.#waiting.delete(go);
        cancel();
        resolve();
      };
      const cancel = this.#dependencies.later(OPEN_WAIT_MS, go);
      this.#waiting.add(go);
    });
  }

  async #read(keys: readonly string[]): Promise<readonly (ServerRecord | undefined)[]> {
    const read = await this.#again(() => this.#dependencies.records.readRecords(keys));
    for (const [i, key] of keys.entries()) this.#note(key, read[i]);
    return read;
  }

  /**
   * Calls `read`, which reads server records, and returns its result. If the change feed became complete or incomplete
   * during the read, the records can be outdated, so `read` is called again. Rejects with CORE_1 if this happens in
   * each of MAX_READS calls.
   */
  async #again<T>(read: () => Promise<T>): Promise<T> {
    for (let reads = 1; ; reads++) {
      const turns = this.#turns;
      const result = await read();
      if (turns === this.#turns) return result;
      if (reads === MAX_READS) throw MOVING;
    }
  }

  #note(key: string, record: ServerRecord | undefined): void {
    if (!this.#following) return;
    const { freshness, now } = this.#dependencies;
    const shown = record && shownStatus(record, now(), freshness);
    this.#known.putRead(key, record, shown, this.#following.isMissing(bucketOfServer(key)), now());
  }
}
