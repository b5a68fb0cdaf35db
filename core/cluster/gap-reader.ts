import type { ChangeFeed } from '../feed/change-feed.ts';
import { ALL_FIELDS, VISIBLE } from '../feed/transition.ts';
import { changedFields } from '../feed/visible-fields.ts';
import { type FreshnessRules, shownStatus } from '../servers/freshness.ts';
import { type ServerRecord, serverKey, splitKey } from '../servers/server-record.ts';
import { bucketOfServer } from './buckets.ts';
import type { ClusterRecords } from './cluster-records.ts';
import type { FeedFollowers } from './feed-followers.ts';
import type { KnownRecords, KnownServer } from './known-records.ts';

/** Maximum number of server records that one call reads from the owners of the servers. */
const PAGE_SIZE = 500;

/** Dependencies of `GapReader`, which finds changes of servers that the change feed may have missed. */
export interface GapReaderDependencies {
  feed: ChangeFeed;
  known: KnownRecords;
  followers: FeedFollowers;
  records: ClusterRecords;
  freshness: FreshnessRules;
  now: () => number;
  /**
   * True if the change feed may have missed changes of a bucket (a group of servers) since this core began to read the
   * bucket.
   */
  hasNewGap(bucket: number): boolean;
}

/**
 * Finds changes of servers that the change feed may have missed. For this purpose, reads the records of the servers
 * that clients follow, in given buckets. Publishes a change for each server whose record differs from the record that
 * clients got last.
 */
export class GapReader {
  readonly #dependencies: GapReaderDependencies;
  /**
   * Keys of the servers whose changes were published since the start of the current read. The result of the read is
   * ignored for these servers, because clients already have a newer record. Undefined if no read is in progress.
   */
  #changed: Set<string> | undefined;

  constructor(dependencies: GapReaderDependencies) {
    this.#dependencies = dependencies;
  }

  /** Notes that a change of a server was published to the readers (clients that follow the server). */
  noteChange(key: string): void {
    this.#changed?.add(key);
  }

  /**
   * Reads the current records of the followed servers in the given buckets. Publishes the changes that the followers
   * have missed. Rejects with ServiceError CORE_1 if the owner of a bucket does not answer.
   */
  async read(buckets: ReadonlySet<number>): Promise<void> {
    const { feed, known, followers, records } = this.#dependencies;
    const { isComplete } = known;
    const keys = new Set([...followers.keys].filter(key => buckets.has(bucketOfServer(key))));
    for (const { key, bucket } of known) {
      if (!buckets.has(bucket)) continue;
      if (followers.follows(key, splitKey(key)[0])) keys.add(key);
      else known.delete(key);
    }
    await this.#readKeys([...keys]);
    // If records were dropped from memory, this core cannot find out which servers were removed. Clients that follow
    // all servers of a game must then begin again with a snapshot (the list of all these servers).
    if (followers.games.size > 0 && !isComplete) feed.restartGames();
    // Clients that follow all servers of a game must also learn of new servers. Therefore, this loop reads all servers
    // of the followed games in the given buckets, except the servers that were already read.
    for (const gameId of followers.games) {
      for await (const page of records.keyPages(serverKey(gameId, ''), PAGE_SIZE))
        await this.#readKeys(page.filter(key => buckets.has(bucketOfServer(key)) && !keys.has(key)));
    }
  }

  async #readKeys(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += PAGE_SIZE) await this.#readPage(keys.slice(at, at + PAGE_SIZE));
  }

  async #readPage(keys: readonly string[]): Promise<void> {
    const changed = new Set<string>();
    this.#changed = changed;
    try {
      const read = await this.#dependencies.records.readRecords(keys);
      keys.forEach((key, i) => {
        if (!changed.has(key)) this.#compare(key, read[i]);
      });
    } finally {
      this.#changed = undefined;
    }
  }

  /** Publishes a change if the record of a server differs from the state that clients got last. */
  #compare(key: string, record: ServerRecord | undefined): void {
    const { feed, known, freshness, now, hasNewGap } = this.#dependencies;
    const before = known.get(key);
    const fields = this.#differences(before, record);
    const newest = before?.newest;
    const shown = record && shownStatus(record, now(), freshness);
    known.putReread(key, record, shown, !hasNewGap(bucketOfServer(key)), now());
    if (fields === 0) return;
    // If this core does not know the earlier record of the server, it publishes the new record both as `after` and as
    // `before`. If `before` were undefined, webhooks would treat the server as newly inserted.
    const last = before ? (before.seen ?? newest) : record;
    if (last || record) feed.publish({ fields, before: last, after: record });
    else feed.publishUntracked(key);
  }

  #differences(before: KnownServer | undefined, record: ServerRecord | undefined): number {
    if (!before) return ALL_FIELDS;
    const { seen, shown, newest, isMixed } = before;
    if (isMixed) return ALL_FIELDS;
    return this.#visible(seen, shown, record) || (newest === seen ? 0 : this.#visible(newest, shown, record));
  }

  #visible(
    before: ServerRecord | undefined,
    shown: KnownServer['shown'],
    after: ServerRecord | undefined,
  ): number {
    if (!before || !after) return before === after ? 0 : ALL_FIELDS;
    if (before.isPublic !== after.isPublic || before.insertedAt !== after.insertedAt) return ALL_FIELDS;
    const { freshness, now } = this.#dependencies;
    const at = now();
    // Compares all fields of the two records except the status. The new status is compared with the status that clients
    // got last (`shown`), because the status in answers also depends on the time.
    const { status, lastOnlineAt } = after;
    const data = changedFields({ ...before, status, lastOnlineAt }, after, after.data.length, at, freshness);
    return data | (shownStatus(after, at, freshness) === shown ? 0 : VISIBLE.status);
  }
}
