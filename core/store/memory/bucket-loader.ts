import { setImmediate as turn } from 'node:timers/promises';
import { CorruptRecordError, checkRecord } from '../../servers/record-codec.ts';
import { upgradeRecord } from '../../servers/record-upgrade.ts';
import { SERVERS } from '../../servers/server-entry.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { SharedBuckets } from '../bucket-reader.ts';
import { visitInTurns } from '../in-turns.ts';
import { PendingChanges } from '../pending-changes.ts';
import type { StorageEngine } from '../storage-engine.ts';
import { listDamaged } from '../store-damage.ts';
import type { BucketSlots } from './bucket-slots.ts';
import type { ServerSet } from './server-set.ts';
import type { ComparedRecords } from './stored-records.ts';

/**
 * Number of buckets (groups of servers) that one read from the storage engine covers. With a million stored servers,
 * one read returns about 8,000 servers, or 4 MB.
 */
const BUCKETS_AT_ONCE = 32;
/**
 * Number of servers that are loaded or unloaded in one turn of the event loop. Such a turn takes a few milliseconds.
 */
const SERVERS_A_TURN = 500;
/**
 * Number of servers that one turn of the event loop removes from the probe schedule. Such a turn also searches all
 * leases (orders to probe a server), and takes up to 3 ms.
 */
const STOPPED_A_TURN = 5_000;
/**
 * Number of rows of the server table that are searched in one turn of the event loop, in about 1 ms. The whole table is
 * searched to find the servers of a bucket.
 */
const SLOTS_A_TURN = 20_000;

/**
 * Minimum time from the load of a server to its first probe, ms. When a core has ended, many of its servers are
 * overdue. Their probes take CPU time away from the load of the other buckets. In a test with 100,000 servers on two
 * CPUs, two core processes loaded the buckets of a third process. Without this delay, they needed 1.8 to 3.3 s, and
 * with it 1.0 to 2.4 s.
 */
const FIRST_PROBE_MS = 3_000;

/**
 * Receives the records of servers that were just loaded, or will be unloaded next. Each record is valid only until the
 * next one is read. If the visitor returns a promise, the loader waits for it.
 */
export type ServersVisitor = (servers: Iterable<ServerRecord>) => Promise<void> | undefined;

/**
 * Loads and unloads the servers of buckets, in small steps, so that the core stays responsive. Call `takeBuckets`,
 * `stopBuckets` and `giveBuckets` in this order. Wait for each to finish.
 */
export class BucketLoader {
  /** Changes that are not durable yet: a server is inserted or removed, or its `isPublic` changes. */
  readonly pending = new PendingChanges();
  readonly #engine: Pick<StorageEngine, 'damage'>;
  readonly #shared: SharedBuckets;
  readonly #servers: ServerSet;
  readonly #slots: BucketSlots;
  readonly #now: () => number;

  private constructor(
    engine: Pick<StorageEngine, 'damage'>,
    shared: SharedBuckets,
    servers: ServerSet,
    slots: BucketSlots,
    now: () => number,
  ) {
    this.#engine = engine;
    this.#shared = shared;
    this.#servers = servers;
    this.#slots = slots;
    this.#now = now;
  }

  /**
   * Creates the `BucketLoader` of a server store: it loads and unloads the servers of buckets. Returns undefined if no
   * other core shares the storage engine.
   */
  static of(
    engine: Pick<StorageEngine, 'damage'>,
    servers: ServerSet,
    { buckets, now }: { buckets?: SharedBuckets | undefined; now: () => number },
  ): BucketLoader | undefined {
    return buckets && servers.buckets && new BucketLoader(engine, buckets, servers, servers.buckets, now);
  }

  /** True if the bucket (group) of this server is completely in memory, and this core is not giving the bucket away. */
  isLoaded(serverKey: string): boolean {
    return this.#slots.stateOf(serverKey) === 'loaded';
  }

  /**
   * True if one of these servers belongs to a bucket that this core is giving to another core. Such a server must not
   * be changed at the moment.
   */
  isLeaving(serverKeys: readonly string[]): boolean {
    return serverKeys.some(key => {
      const state = this.#slots.stateOf(key);
      return (state === 'leaving' || state === 'absent') && this.#servers.table.slotOf(key) >= 0;
    });
  }

  /**
   * Loads the servers of acquired buckets in steps. After each step, calls `onLoaded` with the servers of this step.
   * Overdue servers are probed 3 s after their load. Rejects with StoreDamage if a stored record is damaged, or with
   * the error of the storage engine.
   */
  async takeBuckets(buckets: readonly number[], onLoaded: ServersVisitor): Promise<void> {
    this.#slots.setState(buckets, 'loading');
    for (let from = 0; from < buckets.length; from += BUCKETS_AT_ONCE) {
      const some = buckets.slice(from, from + BUCKETS_AT_ONCE);
      await this.#load(some, onLoaded);
      this.#slots.setState(some, 'loaded');
    }
  }

  async #load(buckets: readonly number[], onLoaded: ServersVisitor): Promise<void> {
    const found: [key: string, value: Buffer][] = [];
    await this.#shared.reader.readBuckets(buckets, SERVERS, (storedKey, value) => {
      found.push([storedKey.slice(SERVERS.length), value]);
    });
    const faults: string[] = [];
    for (let from = 0; from < found.length; from += SERVERS_A_TURN) {
      const added = this.#addAll(found.slice(from, from + SERVERS_A_TURN), faults);
      await onLoaded(this.#records(added));
      await turn();
    }
    if (faults.length > 0) throw this.#engine.damage(listDamaged(faults));
  }

  /**
   * Adds stored servers to the memory of this core. Returns their slots (indexes) in the server table. Adds a
   * description of each damaged record to `faults`.
   */
  #addAll(found: readonly [key: string, value: Buffer][], faults: string[]): number[] {
    const now = this.#now();
    return found.flatMap(([key, value]) => {
      try {
        checkRecord(key, value);
        return this.#servers.addLoaded(key, upgradeRecord(key, value), now, now + FIRST_PROBE_MS);
      } catch (error) {
        if (!(error instanceof CorruptRecordError)) throw error;
        faults.push(error.message);
        return [];
      }
    });
  }

  /**
   * Stops the probes and all changes of the servers in these buckets. Call this method before `giveBuckets`. Reads
   * still work. Inserts are refused; other changes reject with NoWrites.
   */
  async stopBuckets(buckets: readonly number[]): Promise<void> {
    this.#slots.setState(buckets, 'leaving');
    await this.pending.settle();
    const slots = await this.#slotsOf(buckets);
    for (let from = 0; from < slots.length; from += STOPPED_A_TURN) {
      // Ends the leases of the servers too, so late results from probers are dropped.
      const stopped = slots.slice(from, from + STOPPED_A_TURN);
      for (const slot of this.#servers.schedule.handOver(stopped, this.#now()))
        this.#servers.writer.markDirty(slot);
      await turn();
    }
  }

  /**
   * Stores the newest records of the servers in these buckets, and then removes the servers from memory. Call
   * `stopBuckets` first. `onUnloaded` gets the records of the removed servers. After a rejection with NoWrites, the
   * caller can try again.
   */
  async giveBuckets(buckets: readonly number[], onUnloaded: ServersVisitor): Promise<void> {
    const leaving = await this.#slotsOf(buckets);
    await this.#servers.writer.writeOutdated(leaving);
    // Marks the buckets as absent before their servers are removed from memory. Otherwise a comparison of memory and
    // store could delete these servers from the store.
    this.#slots.setState(buckets, 'absent');
    for (let from = 0; from < leaving.length; from += SERVERS_A_TURN) {
      const some = leaving.slice(from, from + SERVERS_A_TURN);
      const done = onUnloaded(this.#records(some));
      for (const slot of some) this.#servers.remove(this.#servers.table.recordInPlace(slot).key, slot);
      await done;
      await turn();
    }
  }

  /**
   * Returns the servers that `compareRecords` must compare with the store: the servers of all buckets that are
   * completely in memory.
   */
  comparedRecords(): ComparedRecords {
    const slots = this.#slots;
    const { table } = this.#servers;
    return {
      // `compareRecords` deletes each server that it reads here but does not find in memory. Therefore reads only
      // buckets that are completely in memory.
      read: visit => this.#shared.reader.readBuckets(slots.complete(), SERVERS, visit),
      // Yields all servers of this core, even in buckets that are still loading. `read` skips such buckets. Therefore
      // `compareRecords` writes their servers again, although they are already stored. This is harmless.
      *slots() {
        for (const slot of table.slots()) if (slots.stateAt(slot) !== 'absent') yield slot;
      },
    };
  }

  /** Returns the buckets whose servers are all in the memory of this core. */
  complete(): number[] {
    return this.#slots.complete();
  }

  /**
   * Calls `visit` with the record of each server in these buckets (groups). A record is valid until `visit` returns.
   */
  async visitRecords(
    buckets: readonly number[],
    visit: (bucket: number, record: ServerRecord) => void,
  ): Promise<void> {
    const wanted = new Set(buckets);
    await visitInTurns(this.#servers.table.slots(), SLOTS_A_TURN, slot => {
      const bucket = this.#slots.bucketAt(slot);
      if (wanted.has(bucket)) visit(bucket, this.#servers.table.recordInPlace(slot));
    });
  }

  async #slotsOf(buckets: readonly number[]): Promise<number[]> {
    const wanted = new Set(buckets);
    const found: number[] = [];
    await visitInTurns(this.#servers.table.slots(), SLOTS_A_TURN, slot => {
      if (wanted.has(this.#slots.bucketAt(slot))) found.push(slot);
    });
    return found;
  }

  *#records(slots: readonly number[]): Generator<ServerRecord> {
    for (const slot of slots) yield this.#servers.table.recordInPlace(slot);
  }
}
