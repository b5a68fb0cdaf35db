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

/** Number of buckets that are read at once: with a million servers, they contain about 8,000 servers, or 4 MB. */
const BUCKETS_AT_ONCE = 32;
/** Number of servers that are loaded or unloaded in one turn of the event loop, which takes a few milliseconds. */
const SERVERS_A_TURN = 500;
/** Number of servers whose leases end in one turn of the event loop. Each turn searches all leases, up to 3 ms. */
const STOPPED_A_TURN = 5_000;
/** Number of slots that are searched in one turn of the event loop for the servers of some buckets: about 1 ms. */
const SLOTS_A_TURN = 20_000;

/**
 * Receives the records of servers that were loaded, or that are unloaded next. A record is valid until the iterator
 * returns the next one, and the iterator must be used before the function returns. The loader waits for the promise.
 */
export type ServersVisitor = (servers: Iterable<ServerRecord>) => Promise<void> | undefined;

/**
 * Loads the servers of buckets into the memory of a core, and unloads them. Works in small steps, so that the core
 * answers calls meanwhile. Calls for the same bucket must follow each other: `takeBuckets`, `stopBuckets`,
 * `giveBuckets`.
 */
export class BucketLoader {
  /** Inserts, removals and listings of servers that are not durable yet. */
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

  /** Returns the loader of a server store. Undefined if the storage engine belongs to this core alone. */
  static of(
    engine: Pick<StorageEngine, 'damage'>,
    servers: ServerSet,
    { buckets, now }: { buckets?: SharedBuckets | undefined; now: () => number },
  ): BucketLoader | undefined {
    return buckets && servers.buckets && new BucketLoader(engine, buckets, servers, servers.buckets, now);
  }

  /** True if all servers of the bucket of a server are loaded, and the bucket does not leave. */
  isLoaded(serverKey: string): boolean {
    return this.#slots.stateOf(serverKey) === 'loaded';
  }

  /** True if at least one of these servers is tracked and its bucket leaves, so that the server must not change. */
  isLeaving(serverKeys: readonly string[]): boolean {
    return serverKeys.some(key => {
      const state = this.#slots.stateOf(key);
      return (state === 'leaving' || state === 'absent') && this.#servers.table.slotOf(key) >= 0;
    });
  }

  /**
   * Loads the servers of buckets that this core has acquired. Calls `onLoaded` with the servers of each step. A server
   * can be leased as soon as it is loaded. When the promise resolves, servers of these buckets can be inserted. Rejects
   * with StoreDamage if a record is damaged, or with the error of the storage engine.
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

  /** Adds stored servers to the memory. Returns their slots. Adds a text to `faults` for each damaged record. */
  #addAll(found: readonly [key: string, value: Buffer][], faults: string[]): number[] {
    const now = this.#now();
    return found.flatMap(([key, value]) => {
      try {
        checkRecord(key, value);
        return this.#servers.addLoaded(key, upgradeRecord(key, value), now);
      } catch (error) {
        if (!(error instanceof CorruptRecordError)) throw error;
        faults.push(error.message);
        return [];
      }
    });
  }

  /**
   * Prepares `giveBuckets`: when the promise resolves, no server of these buckets is leased, and their records do not
   * change any more. A report for an ended lease is dropped. Servers are still found, because no other core has them
   * yet. From the call on, inserts of such servers are refused, and removals and listings reject with NoWrites.
   */
  async stopBuckets(buckets: readonly number[]): Promise<void> {
    this.#slots.setState(buckets, 'leaving');
    await this.pending.settle();
    const slots = await this.#slotsOf(buckets);
    for (let from = 0; from < slots.length; from += STOPPED_A_TURN) {
      this.#servers.schedule.removeSlots(slots.slice(from, from + STOPPED_A_TURN));
      await turn();
    }
  }

  /**
   * Writes the outdated stored records of buckets after `stopBuckets`, and then unloads their servers. Calls
   * `onUnloaded` with the servers of each step. When the promise resolves, their newest records are durable. Rejects
   * with NoWrites if the storage engine refuses the writes. In this case, all servers are still loaded, and the call can
   * be repeated.
   */
  async giveBuckets(buckets: readonly number[], onUnloaded: ServersVisitor): Promise<void> {
    const leaving = await this.#slotsOf(buckets);
    await this.#servers.writer.writeOutdated(leaving);
    // From here on, the memory does not contain all servers of these buckets. A comparison with the stored servers must
    // leave them out; otherwise it would delete stored servers.
    this.#slots.setState(buckets, 'absent');
    for (let from = 0; from < leaving.length; from += SERVERS_A_TURN) {
      const some = leaving.slice(from, from + SERVERS_A_TURN);
      const done = onUnloaded(this.#records(some));
      for (const slot of some) this.#servers.remove(this.#servers.table.recordInPlace(slot).key, slot);
      await done;
      await turn();
    }
  }

  /** Returns the servers for `compareRecords`: those of the buckets whose servers are all in memory. */
  comparedRecords(): ComparedRecords {
    const slots = this.#slots;
    const { table } = this.#servers;
    return {
      read: visit => this.#shared.reader.readBuckets(slots.complete(), SERVERS, visit),
      // While a bucket is loading, its stored servers are not compared, because some of them are not in memory yet. Those
      // that are in memory are written again.
      *slots() {
        for (const slot of table.slots()) if (slots.stateAt(slot) !== 'absent') yield slot;
      },
    };
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
