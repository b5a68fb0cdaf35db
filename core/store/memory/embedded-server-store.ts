import { splitCanonical } from '../../../net/address.ts';
import { OPERATOR } from '../../admission/insert-guard.ts';
import { checkRecord } from '../../servers/record-codec.ts';
import {
  forgetLoss,
  labelAt,
  lastOnlineAtOf,
  newPointer,
  type RecordPointer,
  statusAt,
} from '../../servers/record-pointer.ts';
import { newRecord } from '../../servers/record-status.ts';
import { upgradeRecord } from '../../servers/record-upgrade.ts';
import { ServerCounters } from '../../servers/server-counters.ts';
import { SERVERS, serverDeletion } from '../../servers/server-entry.ts';
import { type ServerRecord, serverKey } from '../../servers/server-record.ts';
import type { InsertOutcome, Lease, NewServer, ServerStore, StoreStats } from '../../servers/server-store.ts';
import type { Operation, StorageEngine } from '../storage-engine.ts';
import type { EmbeddedServerStoreOptions } from './embedded-server-store-options.ts';
import { MemoryFragmentCache } from './fragment-cache.ts';
import { Inserts } from './inserts.ts';
import { isNews } from './is-news.ts';
import { sealOpenHours } from './open-hours.ts';
import { ProbeSchedule } from './probe-schedule.ts';
import { RecordWriter } from './record-writer.ts';
import { ServerTable } from './server-table.ts';
import { compareRecords, loadRecords } from './stored-records.ts';

/**
 * Maximum size of the cache for uncompressed fragments, in bytes. It is enough for the fragments of about 25,000
 * servers.
 */
const PLAIN_BYTES = 16 * 1024 * 1024;

/**
 * `ServerStore` that keeps all server records and due times in memory, and stores the records durably in a storage
 * engine. Most changes are stored immediately. A change of only players and times is stored with a delay.
 */
export class EmbeddedServerStore implements ServerStore {
  readonly #engine: StorageEngine;
  readonly #options: EmbeddedServerStoreOptions;
  readonly #table = new ServerTable();
  readonly fragments = new MemoryFragmentCache();
  readonly plainFragments = new MemoryFragmentCache(PLAIN_BYTES);
  readonly counters = new ServerCounters();
  readonly #schedule: ProbeSchedule;
  readonly #writer: RecordWriter;
  readonly #inserts: Inserts;
  readonly #pointer = newPointer();

  private constructor(engine: StorageEngine, options: EmbeddedServerStoreOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#schedule = new ProbeSchedule(this.#table, slot => this.#forgetFragments(slot), options.leaseMs);
    this.#writer = new RecordWriter(engine, this.#table, options.now);
    this.#inserts = new Inserts(engine, {
      has: key => this.#table.slotOf(key) >= 0,
      hasRoom: inserting => this.#table.size + inserting < options.maxServers,
      add: (key, value, record) => this.#addInserted(key, value, record),
    });
  }

  /** Loads all stored servers. Rejects with StoreDamage if the stored data is damaged. */
  static async load(
    engine: StorageEngine,
    options: EmbeddedServerStoreOptions,
  ): Promise<EmbeddedServerStore> {
    const store = new EmbeddedServerStore(engine, options);
    const now = options.now();
    await loadRecords(engine, (key, value) => store.#addLoaded(key, value, now));
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

  locate(slot: number, pointer: RecordPointer): void {
    this.#table.locate(slot, pointer);
  }

  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[] {
    return keys.map(key => this.#get(key));
  }

  #get(key: string): ServerRecord | undefined {
    const slot = this.#table.slotOf(key);
    return slot < 0 ? undefined : this.#table.record(slot);
  }

  insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]> {
    const now = this.#options.now();
    const keys = servers.map(server => serverKey(server.gameId, server.address));
    return this.#inserts.insert(keys, i => {
      const { gameId, address, insertedBy, record } = servers[i] as NewServer;
      return record ?? newRecord(gameId, address, insertedBy, now, this.#options.probeIntervalMs);
    });
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

  // While a server is leased, only the report for this lease can change its record. Therefore `next` cannot overwrite a
  // newer record. If the server was removed, its lease has ended, and `apply` returns false.
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
    this.#forgetFragments(slot);
    this.#schedule.put(slot, next.nextProbeAt);
    this.#writer.writeChange(slot, next, news, now, awaitsHistory);
    return true;
  }

  /**
   * Writes the server records that had to wait until the history has written their samples or incidents
   * (`awaitsHistory`). Call this method after each flush of the history.
   */
  writeHeld(): void {
    this.#writer.writeHeld();
  }

  /**
   * Calls `seal` with the samples of each server's unfinished hour, if this hour began before the given time (Unix ms).
   * The samples stay in the server records.
   */
  sealOpenHours(before: number, seal: Parameters<typeof sealOpenHours>[2]): Promise<void> {
    return sealOpenHours(this.#table, before, seal);
  }

  async remove(keys: readonly string[]): Promise<boolean[]> {
    if (this.#engine.refusal) throw this.#engine.refusal;
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

  async listPublicly(keys: readonly string[], isPublic: boolean): Promise<boolean[]> {
    if (this.#engine.refusal) throw this.#engine.refusal;
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
      }
      return true;
    });
    await this.#writer.writeNow(changed);
    return tracked;
  }

  async list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]> {
    const page: ServerRecord[] = [];
    for await (const [key] of this.#engine.entries(SERVERS + prefix, SERVERS + afterKey)) {
      const record = this.#get(key.slice(SERVERS.length));
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
   * Compares the stored data with the data in memory after a failed write. The memory is right: it holds exactly the
   * acknowledged data. The engine can also hold data that was not acknowledged. Returns the operations that make the
   * engine equal to the memory.
   */
  compare(): Promise<Operation[]> {
    return compareRecords(this.#engine, this.#table, slot => this.#writer.markDirty(slot));
  }

  stats(): StoreStats {
    return { tracked: this.#table.size, ...this.counters.status, leased: this.#schedule.leased };
  }

  close(): Promise<void> {
    return this.#writer.writeAll();
  }

  /**
   * Adds the stored record of a server to the table, and counts the server. Returns the slot of the server. Sets
   * `#pointer` to the record.
   */
  #add(key: string, value: Buffer): number {
    const slot = this.#table.insert(key, value);
    this.#table.locate(slot, this.#pointer);
    this.counters.countServer(key, statusAt(this.#pointer), labelAt(this.#pointer), 1);
    return slot;
  }

  #addLoaded(key: string, value: Buffer, now: number): void {
    const slot = this.#add(key, value);
    forgetLoss(this.#pointer);
    this.#writer.addLoaded(slot, now);
    this.#schedule.addServer(slot, now);
    const { unconfirmed } = this.#options;
    if (!unconfirmed || lastOnlineAtOf(this.#pointer) !== 0) return;
    const { insertedBy, address } = this.#table.record(slot);
    if (insertedBy !== OPERATOR) unconfirmed.addServer(key, insertedBy, splitCanonical(address).host);
  }

  /**
   * Adds a server to the table after its record was stored. `value`: the stored record. `record`: the same record,
   * decoded. `record` is undefined if the engine already held a record of this server before the insert.
   */
  #addInserted(key: string, value: Buffer, record: ServerRecord | undefined): void {
    if (record) {
      const slot = this.#add(key, value);
      this.#writer.addWritten(slot, record.insertedAt);
      this.#schedule.put(slot, record.nextProbeAt);
    } else {
      checkRecord(key, value);
      this.#addLoaded(key, upgradeRecord(key, value), this.#options.now());
    }
    const { onInserted } = this.#options;
    const added = onInserted && (record ?? this.#get(key));
    if (added) onInserted(added);
  }

  /**
   * Drops the cached parts of answers that describe the server with this `slot`. Call this method when the record of
   * the server changes.
   */
  #forgetFragments(slot: number): void {
    this.fragments.forget(slot);
    this.plainFragments.forget(slot);
  }

  #removeSlot(key: string, slot: number): void {
    const { onRemoved, unconfirmed } = this.#options;
    const removed = onRemoved && this.#table.record(slot);
    this.#table.locate(slot, this.#pointer);
    this.counters.countServer(key, statusAt(this.#pointer), labelAt(this.#pointer), -1);
    this.#table.remove(slot);
    this.#forgetFragments(slot);
    this.#writer.forget(slot);
    unconfirmed?.drop(key);
    if (removed) onRemoved(removed);
  }
}
