import {
  labelAt,
  lastOnlineAtOf,
  newPointer,
  type RecordPointer,
  statusAt,
} from '../../servers/record-pointer.ts';
import { newRecord } from '../../servers/record-status.ts';
import type { ServerCounters } from '../../servers/server-counters.ts';
import { SERVERS, serverDeletion } from '../../servers/server-entry.ts';
import { type ServerRecord, serverKey } from '../../servers/server-record.ts';
import type {
  FragmentCache,
  InsertOutcome,
  Lease,
  NewServer,
  ServerStore,
  StoreStats,
} from '../../servers/server-store.ts';
import { NoWrites } from '../no-writes.ts';
import type { Operation, StorageEngine } from '../storage-engine.ts';
import { BucketLoader } from './bucket-loader.ts';
import type { EmbeddedServerStoreOptions } from './embedded-server-store-options.ts';
import { Inserts } from './inserts.ts';
import { isNews } from './is-news.ts';
import { sealOpenHours } from './open-hours.ts';
import type { ProbeSchedule } from './probe-schedule.ts';
import type { RecordWriter } from './record-writer.ts';
import { ServerSet } from './server-set.ts';
import type { ServerTable } from './server-table.ts';
import { compareRecords, loadRecords } from './stored-records.ts';

/**
 * `ServerStore` that keeps all server records in memory, and stores them durably in a storage engine. A change of only
 * players and times is stored with a delay.
 */
export class EmbeddedServerStore implements ServerStore {
  readonly #engine: StorageEngine;
  readonly #options: EmbeddedServerStoreOptions;
  readonly #servers: ServerSet;
  readonly fragments: FragmentCache;
  readonly plainFragments: FragmentCache;
  readonly counters: ServerCounters;
  readonly #table: ServerTable;
  readonly #schedule: ProbeSchedule;
  readonly #writer: RecordWriter;
  readonly #inserts: Inserts;
  /**
   * Loads and unloads the servers of buckets (groups of servers); undefined if this core alone uses the storage engine.
   */
  readonly buckets: BucketLoader | undefined;
  readonly #pointer = newPointer();

  private constructor(engine: StorageEngine, options: EmbeddedServerStoreOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#servers = new ServerSet(engine, options);
    this.fragments = this.#servers.fragments;
    this.plainFragments = this.#servers.plainFragments;
    this.counters = this.#servers.counters;
    this.#table = this.#servers.table;
    this.#schedule = this.#servers.schedule;
    this.#writer = this.#servers.writer;
    this.buckets = BucketLoader.of(engine, this.#servers, options);
    this.#inserts = new Inserts(engine, {
      has: key => this.#table.slotOf(key) >= 0,
      hasRoom: inserting => this.#table.size + inserting < options.maxServers,
      isOwner: key => this.buckets?.isLoaded(key) ?? true,
      add: (key, value, record) => this.#addInserted(key, value, record),
    });
  }

  /**
   * Opens the store. If only this core uses the storage engine, loads all stored servers now, and rejects with
   * StoreDamage if their data is damaged. If several cores use the engine, `buckets` loads the servers later.
   */
  static async load(
    engine: StorageEngine,
    options: EmbeddedServerStoreOptions,
  ): Promise<EmbeddedServerStore> {
    const store = new EmbeddedServerStore(engine, options);
    const now = options.now();
    if (!options.buckets)
      await loadRecords(engine, (key, value) => store.#servers.addLoaded(key, value, now));
    return store;
  }

  get writable(): boolean {
    return this.#engine.refusal === undefined;
  }

  get refused(): number {
    return this.#inserts.refused;
  }

  find(gameId: string, text: Uint8Array, start: number, end: number, pointer: RecordPointer): boolean {
    return this.#table.find(gameId, text, start, end, pointer);
  }

  findKey(key: string, pointer: RecordPointer): boolean {
    return this.#table.findKey(key, pointer);
  }

  locate(slot: number, pointer: RecordPointer): void {
    this.#table.locate(slot, pointer);
  }

  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[] {
    return keys.map(key => this.#servers.get(key));
  }

  insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]> {
    const now = this.#options.now();
    const keys = servers.map(server => serverKey(server.gameId, server.address));
    return this.#noteChange(
      this.#inserts.insert(keys, i => {
        const { gameId, address, insertedBy, record } = servers[i] as NewServer;
        return record ?? newRecord(gameId, address, insertedBy, now, this.#options.probeIntervalMs);
      }),
    );
  }

  leaseDue(limit: number): Lease[] {
    return this.#schedule.leaseDue(this.#options.now(), limit);
  }

  leased(leaseId: number): ServerRecord | undefined {
    const slot = this.#schedule.slotOf(leaseId, this.#options.now());
    return slot < 0 ? undefined : this.#table.recordInPlace(slot);
  }

  release(leaseIds: Iterable<number>, delayMs = 0): void {
    this.#schedule.release(leaseIds, this.#options.now() + delayMs);
  }

  hasten(key: string, at: number): void {
    const slot = this.#table.slotOf(key);
    if (slot >= 0) this.#schedule.hasten(slot, at);
  }

  // The caller reads the old record with `leased`, and passes the new record (`next`) to `apply` in the same turn of
  // the event loop. The record cannot change in between, so `next` never overwrites a newer record.
  apply(leaseId: number, next: ServerRecord, awaitsHistory = false): boolean {
    const now = this.#options.now();
    const slot = this.#schedule.slotOf(leaseId, now);
    if (slot < 0) return false;
    this.#schedule.endLease(leaseId);
    const before = this.#pointer;
    this.#table.locate(slot, before);
    const news = isNews(before, next);
    this.counters.countChange(statusAt(before), labelAt(before), next);
    if (lastOnlineAtOf(before) === 0 && next.lastOnlineAt !== 0) this.#options.unconfirmed?.drop(next.key);
    this.#table.replace(slot, next);
    this.#servers.forgetFragments(slot);
    this.#schedule.put(slot, next.nextProbeAt);
    this.#writer.writeChange(slot, next, news, now, awaitsHistory);
    return true;
  }

  /**
   * Call this method after each flush of the history. Writes the records that waited for this flush, if their write is
   * due. `holds`: value of the counter `holds` when the flush began. Records that began to wait later continue to wait.
   */
  writeHeld(holds: number): void {
    this.#writer.writeHeld(holds);
  }

  /** Number of changed server records so far that had to wait for a flush of the history. */
  get holds(): number {
    return this.#writer.holds;
  }

  /**
   * Calls `seal` for each server that has samples of an unfinished hour, with these samples. Leaves out hours that
   * began at or after `before` (Unix ms). The server record keeps the samples too.
   */
  sealOpenHours(before: number, seal: Parameters<typeof sealOpenHours>[2]): Promise<void> {
    return sealOpenHours(this.#table, before, seal);
  }

  remove(keys: readonly string[]): Promise<boolean[]> {
    return this.#noteChange(this.#remove(keys));
  }

  async #remove(keys: readonly string[]): Promise<boolean[]> {
    this.#checkWritable(keys);
    const slots: number[] = [];
    const removed = keys.map(key => {
      const slot = this.#table.slotOf(key);
      if (slot < 0) return false;
      this.#removeSlot(key, slot);
      slots.push(slot);
      return true;
    });
    this.#schedule.removeSlots(slots);
    const gone = keys.filter((_, i) => removed[i]);
    if (gone.length === 0) return removed;
    const others = this.#options.onRemove?.(gone) ?? [];
    await this.#engine.commit([...gone.map(serverDeletion), ...others]);
    return removed;
  }

  listPublicly(keys: readonly string[], isPublic: boolean): Promise<boolean[]> {
    return this.#noteChange(this.#listPublicly(keys, isPublic));
  }

  async #listPublicly(keys: readonly string[], isPublic: boolean): Promise<boolean[]> {
    this.#checkWritable(keys);
    const changed: number[] = [];
    const tracked = keys.map(key => {
      const slot = this.#table.slotOf(key);
      if (slot < 0) return false;
      const before = this.#table.record(slot);
      if (before.isPublic !== isPublic) {
        const after = { ...before, isPublic };
        this.#table.replace(slot, after);
        changed.push(slot);
        this.#options.onListed?.(before, after);
      } else if (this.#writer.isHeld(slot)) changed.push(slot);
      return true;
    });
    await this.#writer.writeNow(changed);
    return tracked;
  }

  async list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]> {
    const page: ServerRecord[] = [];
    for await (const [key] of this.#engine.entries(SERVERS + prefix, SERVERS + afterKey)) {
      const record = this.#servers.get(key.slice(SERVERS.length));
      if (record) page.push(record);
      if (page.length === limit) break;
    }
    return page;
  }

  *records(): Generator<ServerRecord> {
    for (const slot of this.#table.slots()) yield this.#table.recordInPlace(slot);
  }

  /** Repeats the record writes that the engine has refused. Rejects with NoWrites if the engine refuses again. */
  writeDirty(): Promise<void> {
    return this.#writer.writeDirty();
  }

  /**
   * Writes the records that are newer in memory than in the store. Rejects with NoWrites if the engine refuses a write.
   */
  writeBehind(): Promise<void> {
    return this.#writer.writeBehind();
  }

  /**
   * Compares the stored server records with those in memory, after a failed write. Marks outdated stored records, so
   * that `writeDirty` writes them. Returns operations that delete stored servers which are not in memory, and
   * operations that add missing ones.
   */
  compare(): Promise<Operation[]> {
    const compared = this.buckets?.comparedRecords() ?? {
      read: visit => this.#engine.readAll(SERVERS, visit),
      slots: () => this.#table.slots(),
    };
    return compareRecords(this.#engine, compared, this.#table, slot => this.#writer.markDirty(slot));
  }

  stats(): StoreStats {
    return { tracked: this.#table.size, ...this.counters.status, leased: this.#schedule.leased };
  }

  close(): Promise<void> {
    return this.#writer.writeAll();
  }

  /** Tracks a change of servers until it is durable. Until then, their buckets cannot move to another core. */
  #noteChange<Result>(change: Promise<Result>): Promise<Result> {
    return this.buckets?.pending.add(change) ?? change;
  }

  /** Throws NoWrites if the engine accepts no writes, or if a server in `keys` is being moved to another core. */
  #checkWritable(keys: readonly string[]): void {
    if (this.#engine.refusal) throw this.#engine.refusal;
    if (this.buckets?.isLeaving(keys)) throw new NoWrites('a server moves to another core at the moment');
  }

  #addInserted(key: string, value: Buffer, record: ServerRecord | undefined): void {
    this.#servers.addInserted(key, value, record);
    const { onInserted } = this.#options;
    const added = onInserted && (record ?? this.#servers.get(key));
    if (added) onInserted(added);
  }

  #removeSlot(key: string, slot: number): void {
    const { onRemoved } = this.#options;
    const removed = onRemoved && this.#table.record(slot);
    this.#servers.remove(key, slot);
    if (removed) onRemoved(removed);
  }
}
