import { randomInt } from 'node:crypto';
import { splitCanonical } from '../../net/address.ts';
import { OPERATOR } from '../admission/insert-guard.ts';
import type { UnconfirmedServers } from '../admission/unconfirmed-servers.ts';
import { LEASE_IDS } from '../servers/lease-numbers.ts';
import {
  CorruptRecordError,
  checkRecord,
  encodeRecord,
  forgetLoss,
  intervalMsAt,
  labelAt,
  lastOnlineAtOf,
  newPointer,
  nextProbeAtOf,
  queryPortAt,
  type RecordPointer,
  saysTheSame,
  setNextProbeAt,
  statusAt,
} from '../servers/record-codec.ts';
import { newRecord } from '../servers/record-status.ts';
import { upgradeRecord } from '../servers/record-upgrade.ts';
import { ServerCounters } from '../servers/server-counters.ts';
import { type ServerRecord, serverKey } from '../servers/server-record.ts';
import type { InsertOutcome, Lease, NewServer, ServerStore, StoreStats } from '../servers/server-store.ts';
import { type LevelDbStore, NoWrites, type Operation } from './leveldb/leveldb-store.ts';
import { Leases } from './memory/leases.ts';
import { ServerTable } from './memory/server-table.ts';
import { MemoryFragmentCache } from './memory/slot-cache.ts';
import { TimingWheel } from './memory/timing-wheel.ts';
import { digestOf, SetDigest } from './set-digest.ts';
import { named } from './store-damage.ts';
import { WriteBehind } from './write-behind.ts';

const PREFIX = 's/';

/** An entry as it is stored, and its mark. */
export function serverEntry(record: ServerRecord): { key: string; value: Buffer; adds: number } {
  return { key: PREFIX + record.key, value: encodeRecord(record), adds: digestOf(record.key) };
}

const DUE_BUCKET_MS = 50;
/** A step back larger than this is a clock that was set, not one that was trimmed. */
const CLOCK_STEP_MS = 1_000;
const NOT_YET = Promise.resolve(true);
/** Room for JSON that is kept: about 25,000 servers that are asked for within a minute. */
const TEXT_BYTES = 16 * 1024 * 1024;
/** What is written at a time of all that could not be. */
const OWED_RECORDS = 1_000;
/** What closing writes at a time, and for how long. What is left is a few minutes old then. */
const CLOSING_RECORDS = 10_000;
const CLOSING_MS = 4_000;

export interface EmbeddedServerStoreOptions {
  now: () => number;
  /** Interval of a new server, in milliseconds. */
  probeIntervalMs: number;
  /** How long a lease holds, in milliseconds. */
  leaseMs: number;
  /** Servers tracked at most. */
  maxServers: number;
  /** Told of servers that never answered when they are read at boot, and when they answer or go. */
  unproven?: Pick<UnconfirmedServers, 'add' | 'drop'>;
  /** Told the keys of servers that go; returns what has to be written in the same batch. */
  onRemove?: (keys: readonly string[]) => Operation[];
}

/**
 * `ServerStore` in this process: a table of all records and the due times in memory, everything in LevelDB. A record that
 * says of a server what the one before said, but for players and times, is written behind.
 */
export class EmbeddedServerStore implements ServerStore {
  readonly #level: LevelDbStore;
  readonly #options: EmbeddedServerStoreOptions;
  readonly #table = new ServerTable();
  readonly parts = new MemoryFragmentCache();
  readonly texts = new MemoryFragmentCache(TEXT_BYTES);
  readonly #inserting = new Map<string, Promise<boolean>>();
  /** Slots of the table that are not under lease. */
  #due = new TimingWheel(DUE_BUCKET_MS);
  #lastNow = 0;
  readonly #leases = new Leases();
  readonly census = new ServerCounters();
  readonly #place = newPointer();
  readonly #behind = new WriteBehind();
  #nextLeaseId: number;
  #refused = 0;

  private constructor(level: LevelDbStore, options: EmbeddedServerStoreOptions) {
    this.#level = level;
    this.#options = options;
    // Ids of an earlier run must not be mistaken for this one's.
    this.#nextLeaseId = randomInt(LEASE_IDS);
  }

  /** Reads everything stored. Rejects with StoreDamage where it cannot be what was written. */
  static async load(level: LevelDbStore, options: EmbeddedServerStoreOptions): Promise<EmbeddedServerStore> {
    const store = new EmbeddedServerStore(level, options);
    const now = options.now();
    const tally = new SetDigest();
    const faults: string[] = [];
    await level.each(PREFIX, (storedKey, value) => {
      const key = storedKey.slice(PREFIX.length);
      tally.add(digestOf(key));
      let record: Buffer;
      try {
        checkRecord(key, value);
        record = upgradeRecord(key, value);
      } catch (error) {
        if (!(error instanceof CorruptRecordError)) throw error;
        faults.push(error.message);
        return;
      }
      const slot = store.#enter(key, record);
      forgetLoss(store.#place);
      store.#behind.loaded(slot, now);
      store.#schedule(slot, now);
      if (lastOnlineAtOf(store.#place) === 0 && options.unproven) {
        const { insertedBy, address } = store.#table.record(slot);
        if (insertedBy !== OPERATOR) options.unproven.add(key, insertedBy, splitCanonical(address).host);
      }
    });
    if (faults.length > 0) throw level.damage(named(faults));
    level.expect(PREFIX, tally);
    await level.reopen();
    return store;
  }

  get writable(): boolean {
    return this.#level.refusal === undefined;
  }

  get refused(): number {
    return this.#refused;
  }

  find(gameId: string, text: Uint8Array, start: number, end: number, place: RecordPointer): boolean {
    return this.#table.find(gameId, text, start, end, place);
  }

  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[] {
    return keys.map(key => this.#get(key));
  }

  #get(key: string): ServerRecord | undefined {
    const slot = this.#table.slotOf(key);
    return slot < 0 ? undefined : this.#table.record(slot);
  }

  async insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]> {
    const now = this.#options.now();
    const records: ServerRecord[] = [];
    const others = new Map<string, Promise<boolean>>();
    const keys = servers.map(server => serverKey(server.gameId, server.address));
    const outcomes = servers.map((server, i): InsertOutcome => {
      const key = keys[i] ?? '';
      if (this.#table.slotOf(key) >= 0) return 'present';
      const other = this.#inserting.get(key);
      if (other) {
        others.set(key, other);
        return 'present';
      }
      if (!this.writable) return 'refused';
      if (this.#table.size + this.#inserting.size >= this.#options.maxServers) return 'full';
      const { gameId, address, insertedBy, record } = server;
      records.push(record ?? newRecord(gameId, address, insertedBy, now, this.#options.probeIntervalMs));
      this.#inserting.set(key, NOT_YET);
      return 'inserted';
    });
    const own = this.#insert(records);
    for (const record of records) this.#inserting.set(record.key, own);
    const stored = await own;
    const failed = new Set(stored ? [] : records.map(({ key }) => key));
    for (const [key, other] of others) if (!(await other)) failed.add(key);
    const told =
      failed.size === 0
        ? outcomes
        : outcomes.map((outcome, i) => (failed.has(keys[i] ?? '') ? 'refused' : outcome));
    for (const outcome of told) if (outcome === 'refused') this.#refused++;
    return told;
  }

  /** Whether they are stored; where not, whether they are on disk is for `compare` to find out. */
  async #insert(records: readonly ServerRecord[]): Promise<boolean> {
    if (records.length === 0) return true;
    const entries = records.map(record => ({ record, value: encodeRecord(record) }));
    try {
      await this.#level.commit(
        entries.map(({ record, value }) => ({
          type: 'put',
          key: PREFIX + record.key,
          value,
          adds: digestOf(record.key),
        })),
      );
      for (const { record, value } of entries) {
        const slot = this.#enter(record.key, value);
        this.#behind.written(slot, record.insertedAt);
        this.#due.put(slot, record.nextProbeAt);
      }
      return true;
    } catch (error) {
      if (error instanceof NoWrites) return false;
      throw error;
    } finally {
      for (const { key } of records) this.#inserting.delete(key);
    }
  }

  /** Forgets what was made of the record of a slot, which has changed or gone. */
  #forgetFragments(slot: number): void {
    this.parts.forget(slot);
    this.texts.forget(slot);
  }

  /** Puts a stored record into the table; its slot. */
  #enter(key: string, value: Buffer): number {
    const slot = this.#table.insert(key, value);
    this.#table.locate(slot, this.#place);
    this.census.count(key, statusAt(this.#place), labelAt(this.#place), 1);
    return slot;
  }

  /** Puts a server where it is due: no later than one interval away, whatever a clock that was wrong wrote into it. */
  #schedule(slot: number, now: number): void {
    const place = this.#place;
    this.#table.locate(slot, place);
    if (nextProbeAtOf(place) > now + intervalMsAt(place) * 2) {
      setNextProbeAt(place, now);
      this.#forgetFragments(slot);
    }
    this.#due.put(slot, Math.max(nextProbeAtOf(place), now));
  }

  /** A clock set back would leave everything due in what is now the future. */
  #followClock(now: number): void {
    if (now < this.#lastNow - CLOCK_STEP_MS) {
      this.#due = new TimingWheel(DUE_BUCKET_MS);
      this.release([...this.#leases.ids()]);
      for (const slot of this.#table.slots()) this.#schedule(slot, now);
    }
    this.#lastNow = now;
  }

  leaseDue(limit: number): Lease[] {
    const now = this.#options.now();
    this.#followClock(now);
    for (let id = this.#leases.oldest; id >= 0; id = this.#leases.oldest) {
      if (this.#leases.slotOf(id, now) >= 0) break;
      this.release([id]);
    }
    const expiresAt = now + this.#options.leaseMs;
    return this.#due.takeDue(now, limit).map(slot => {
      const id = this.#nextLeaseId;
      this.#nextLeaseId = (id + 1) % LEASE_IDS;
      this.#leases.add(id, slot, expiresAt);
      return { id, server: this.#table.probed(slot) };
    });
  }

  leased(leaseId: number): ServerRecord | undefined {
    const slot = this.#leases.slotOf(leaseId, this.#options.now());
    return slot < 0 ? undefined : this.#table.recordInPlace(slot);
  }

  release(leaseIds: Iterable<number>): void {
    const now = this.#options.now();
    for (const id of leaseIds) {
      const slot = this.#leases.end(id);
      if (slot < 0) continue;
      this.#table.locate(slot, this.#place);
      this.#due.put(slot, Math.max(now, nextProbeAtOf(this.#place)));
    }
  }

  hasten(key: string, at: number): void {
    const slot = this.#table.slotOf(key);
    if (slot < 0) return;
    this.#table.locate(slot, this.#place);
    if (nextProbeAtOf(this.#place) <= at || !this.#due.remove(slot)) return;
    setNextProbeAt(this.#place, at);
    this.#forgetFragments(slot);
    this.#due.put(slot, at);
  }

  // A lease ends where its server is removed, and nothing but its report changes a server: so while it holds, its
  // slot has the version it was given for.
  apply(leaseId: number, next: ServerRecord): boolean {
    const now = this.#options.now();
    const slot = this.#leases.slotOf(leaseId, now);
    if (slot < 0) return false;
    this.#leases.end(leaseId);
    const before = this.#place;
    this.#table.locate(slot, before);
    const tellsMore = saysOtherwise(before, next);
    this.census.change(statusAt(before), labelAt(before), next);
    if (lastOnlineAtOf(before) === 0 && next.lastOnlineAt !== 0) this.#options.unproven?.drop(next.key);
    this.#table.replace(slot, next);
    this.#forgetFragments(slot);
    this.#due.put(slot, next.nextProbeAt);
    if (tellsMore || this.#behind.changed(slot, now)) {
      if (this.#level.append({ type: 'put', key: PREFIX + next.key, value: encodeRecord(next) }))
        this.#behind.written(slot, now);
      else this.#behind.owe(slot);
    }
    return true;
  }

  async remove(keys: readonly string[]): Promise<boolean[]> {
    if (this.#level.refusal) throw this.#level.refusal;
    const leased = new Set<number>();
    const removed = keys.map(key => {
      const slot = this.#table.slotOf(key);
      if (slot < 0) return false;
      this.#table.locate(slot, this.#place);
      this.census.count(key, statusAt(this.#place), labelAt(this.#place), -1);
      this.#table.remove(slot);
      this.#forgetFragments(slot);
      if (!this.#due.remove(slot)) leased.add(slot);
      this.#behind.forget(slot);
      this.#options.unproven?.drop(key);
      return true;
    });
    if (leased.size > 0) this.#leases.endThose(leased);
    const gone = keys.filter((_, i) => removed[i]);
    if (gone.length === 0) return removed;
    const others = this.#options.onRemove?.(gone) ?? [];
    const operations = gone.map(
      (key): Operation => ({ type: 'del', key: PREFIX + key, takes: digestOf(key) }),
    );
    await this.#level.commit([...operations, ...others]);
    return removed;
  }

  async list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]> {
    const page: ServerRecord[] = [];
    for await (const [key] of this.#level.entries(PREFIX + prefix, PREFIX + afterKey)) {
      const record = this.#get(key.slice(PREFIX.length));
      if (record) page.push(record);
      if (page.length === limit) break;
    }
    return page;
  }

  /** Writes what ought to have been written and could not be. Rejects with NoWrites. */
  async writeOwed(): Promise<void> {
    if (this.#behind.owed === 0) return;
    const owed = [...this.#table.slots()].filter(slot => this.#behind.isOwed(slot));
    for (let i = 0; i < owed.length; i += OWED_RECORDS) {
      const operations = owed
        .slice(i, i + OWED_RECORDS)
        // It may have been removed, or written, while others were.
        .filter(slot => this.#behind.isOwed(slot))
        .map((slot): Operation => {
          const record = this.#table.record(slot);
          this.#behind.written(slot, this.#options.now());
          return { type: 'put', key: PREFIX + record.key, value: encodeRecord(record) };
        });
      await this.#level.commit(operations);
    }
  }

  /**
   * Compares what the engine holds after a write failed with what is in memory, which is what was acknowledged. Returns
   * what to write so that both are the same: of what was not acknowledged some may be there.
   */
  async compare(): Promise<Operation[]> {
    const operations: Operation[] = [];
    const tally = new SetDigest();
    const seen = new Set<number>();
    const place = this.#place;
    await this.#level.each(PREFIX, (storedKey, value) => {
      const key = storedKey.slice(PREFIX.length);
      const slot = this.#table.slotOf(key);
      if (slot < 0) {
        operations.push({ type: 'del', key: storedKey });
        return;
      }
      tally.add(digestOf(key));
      seen.add(slot);
      this.#table.locate(slot, place);
      if (!saysTheSame(value, place)) this.#behind.owe(slot);
    });
    for (const slot of this.#table.slots()) {
      if (seen.has(slot)) continue;
      const record = this.#table.record(slot);
      operations.push({ type: 'put', key: PREFIX + record.key, value: encodeRecord(record) });
      tally.add(digestOf(record.key));
    }
    this.#level.recount(PREFIX, tally);
    return operations;
  }

  /** Every server that is stored when this is called and was not removed since, in order of keys, as it is now. */
  async *records(): AsyncGenerator<ServerRecord> {
    for await (const [key] of this.#level.entries(PREFIX)) {
      const record = this.#get(key.slice(PREFIX.length));
      if (record) yield record;
    }
  }

  stats(): StoreStats {
    return { tracked: this.#table.size, ...this.census.status, leased: this.#leases.size };
  }

  async close(): Promise<void> {
    const until = performance.now() + CLOSING_MS;
    let operations: Operation[] = [];
    const write = async (): Promise<void> => {
      await this.#level.commit(operations);
      operations = [];
    };
    for (const slot of this.#table.slots()) {
      if (!this.#behind.isBehind(slot)) continue;
      const record = this.#table.record(slot);
      operations.push({ type: 'put', key: PREFIX + record.key, value: encodeRecord(record) });
      if (operations.length < CLOSING_RECORDS) continue;
      await write();
      if (performance.now() > until) return;
    }
    if (operations.length > 0) await write();
  }
}

/** Whether a record tells more than that a server is as it was, with other players at another time. */
function saysOtherwise(before: RecordPointer, after: ServerRecord): boolean {
  return (
    after.status !== statusAt(before) ||
    after.label !== labelAt(before) ||
    after.intervalMs !== intervalMsAt(before) ||
    after.queryPort !== queryPortAt(before)
  );
}
