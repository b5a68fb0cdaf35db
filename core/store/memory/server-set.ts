import { splitCanonical } from '../../../net/address.ts';
import { OPERATOR } from '../../admission/insert-guard.ts';
import { checkRecord } from '../../servers/record-codec.ts';
import { forgetLoss, labelAt, lastOnlineAtOf, newPointer, statusAt } from '../../servers/record-pointer.ts';
import { upgradeRecord } from '../../servers/record-upgrade.ts';
import { ServerCounters } from '../../servers/server-counters.ts';
import type { ServerRecord } from '../../servers/server-record.ts';
import type { StorageEngine } from '../storage-engine.ts';
import { BucketSlots } from './bucket-slots.ts';
import type { EmbeddedServerStoreOptions } from './embedded-server-store-options.ts';
import { MemoryFragmentCache } from './fragment-cache.ts';
import { ProbeSchedule } from './probe-schedule.ts';
import { RecordWriter } from './record-writer.ts';
import { ServerTable } from './server-table.ts';

/**
 * Maximum size of the cache for uncompressed fragments (parts of answers), in bytes. The cache has room for the
 * fragments of about 25,000 servers.
 */
const PLAIN_BYTES = 16 * 1024 * 1024;

/** The options of the server store that concern the servers in memory. */
type ServerSetOptions = Pick<EmbeddedServerStoreOptions, 'now' | 'leaseMs' | 'unconfirmed' | 'buckets'>;

/**
 * All data that the core keeps in memory for the tracked servers, such as records, counters and leases. Adds servers to
 * all of these, and removes them.
 */
export class ServerSet {
  readonly table = new ServerTable();
  readonly fragments = new MemoryFragmentCache();
  readonly plainFragments = new MemoryFragmentCache(PLAIN_BYTES);
  readonly counters = new ServerCounters();
  readonly schedule: ProbeSchedule;
  readonly writer: RecordWriter;
  /**
   * States of the buckets (groups of servers) in memory. For example, a bucket is `loading` or `loaded`. Undefined for
   * the embedded store, because it has no buckets.
   */
  readonly buckets: BucketSlots | undefined;
  readonly #options: ServerSetOptions;
  readonly #pointer = newPointer();

  constructor(engine: Pick<StorageEngine, 'append' | 'commit'>, options: ServerSetOptions) {
    this.#options = options;
    this.buckets = options.buckets && new BucketSlots(options.buckets);
    this.schedule = new ProbeSchedule(
      this.table,
      slot => this.forgetFragments(slot),
      options.leaseMs,
      () => this.#probedSlots(),
    );
    this.writer = new RecordWriter(engine, this.table, options.now, this.buckets);
  }

  /** Returns a copy of the record of the server with this `serverKey`; undefined if the server is not tracked. */
  get(key: string): ServerRecord | undefined {
    const slot = this.table.slotOf(key);
    return slot < 0 ? undefined : this.table.record(slot);
  }

  /**
   * Adds a server with the record that was read from the storage engine. Returns its slot (index in the server table).
   * `probedFrom`: earliest time of its next probe.
   */
  addLoaded(key: string, value: Buffer, now: number, probedFrom = now): number {
    const slot = this.#add(key, value);
    forgetLoss(this.#pointer);
    this.writer.addWritten(slot, now);
    this.schedule.addServer(slot, probedFrom);
    const { unconfirmed } = this.#options;
    if (!unconfirmed || lastOnlineAtOf(this.#pointer) !== 0) return slot;
    const { insertedBy, address } = this.table.record(slot);
    if (insertedBy !== OPERATOR) unconfirmed.addServer(key, insertedBy, splitCanonical(address).host);
    return slot;
  }

  /**
   * Adds a server to memory after its insert into the store. `value`: the encoded record that the store now contains.
   * `record`: the new record. It is undefined if the store already contained a record of the server; `value` is then
   * this older record.
   */
  addInserted(key: string, value: Buffer, record: ServerRecord | undefined): void {
    if (!record) {
      checkRecord(key, value);
      this.addLoaded(key, upgradeRecord(key, value), this.#options.now());
      return;
    }
    const slot = this.#add(key, value);
    this.writer.addWritten(slot, record.insertedAt);
    this.schedule.put(slot, record.nextProbeAt);
  }

  /**
   * Removes a server from memory, but not from the probe schedule: the caller must also call `schedule.removeSlots`.
   * `slot`: index of the server in the server table.
   */
  remove(key: string, slot: number): void {
    this.table.locate(slot, this.#pointer);
    this.counters.countServer(key, statusAt(this.#pointer), labelAt(this.#pointer), -1);
    this.table.remove(slot);
    this.forgetFragments(slot);
    this.writer.forget(slot);
    this.#options.unconfirmed?.drop(key);
  }

  /**
   * Drops the cached parts of answers that describe the server with this `slot`. Call this method when the record of
   * the server changes.
   */
  forgetFragments(slot: number): void {
    this.fragments.forget(slot);
    this.plainFragments.forget(slot);
  }

  /**
   * Adds a server with its stored record to the server table and to the counters. Returns its slot (index in the
   * table). Afterwards `#pointer` points to the record.
   */
  #add(key: string, value: Buffer): number {
    const slot = this.table.insert(key, value);
    this.buckets?.addSlot(slot, key);
    this.table.locate(slot, this.#pointer);
    this.counters.countServer(key, statusAt(this.#pointer), labelAt(this.#pointer), 1);
    return slot;
  }

  /**
   * Yields the slot (row in the server table) of each server that this core probes. Skips a server if its bucket is
   * moving to another core, or does not belong to this core.
   */
  *#probedSlots(): Generator<number> {
    for (const slot of this.table.slots()) {
      const state = this.buckets?.stateAt(slot);
      if (state !== 'leaving' && state !== 'absent') yield slot;
    }
  }
}
