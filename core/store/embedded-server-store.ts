import { DueWheel } from '../schedule/due-wheel.ts';
import { renderJson } from '../servers/payload.ts';
import { decodeRecord, encodeRecord } from '../servers/record-codec.ts';
import { newRecord } from '../servers/record-status.ts';
import { type ServerRecord, serverKey } from '../servers/server-record.ts';
import type { InsertOutcome, Lease, NewServer, ServerStore, StoreStats } from '../servers/server-store.ts';
import type { Level } from './level.ts';

const PREFIX = 's/';
const DUE_BUCKET_MS = 50;
/** A step back larger than this is a clock that was set, not one that was trimmed. */
const CLOCK_STEP_MS = 1_000;

export interface EmbeddedServerStoreOptions {
  now: () => number;
  /** Interval of a new server, in milliseconds. */
  probeIntervalMs: number;
  /** How long a lease holds, in milliseconds. */
  leaseMs: number;
  /** Servers tracked at most. */
  maxServers: number;
}

interface Outstanding {
  server: ServerRecord;
  expiresAt: number;
}

/** `ServerStore` in this process: an index and the due times in memory, everything in LevelDB. */
export class EmbeddedServerStore implements ServerStore {
  readonly #level: Level;
  readonly #options: EmbeddedServerStoreOptions;
  readonly #index = new Map<string, ServerRecord>();
  readonly #inserting = new Map<string, Promise<void>>();
  #due = new DueWheel(DUE_BUCKET_MS);
  #lastNow = 0;
  /** In order of expiry, since every lease holds equally long. */
  readonly #leases = new Map<number, Outstanding>();
  /** Keys under lease: at most one probe of a server is under way. */
  readonly #leaseOf = new Map<string, number>();
  readonly #counts = { pending: 0, online: 0, offline: 0 };
  #nextLeaseId: number;

  private constructor(level: Level, options: EmbeddedServerStoreOptions) {
    this.#level = level;
    this.#options = options;
    // Ids of an earlier run must not be mistaken for this one's.
    this.#nextLeaseId = options.now() * 1000;
  }

  /** Reads everything stored. Rejects with CorruptRecordError where a record cannot be what was written. */
  static async load(level: Level, options: EmbeddedServerStoreOptions): Promise<EmbeddedServerStore> {
    const store = new EmbeddedServerStore(level, options);
    const now = options.now();
    for await (const [key, value] of level.entries(PREFIX)) {
      const record = decodeRecord(key.slice(PREFIX.length), value);
      store.#index.set(record.key, record);
      store.#counts[record.status]++;
      store.#schedule(record, now);
    }
    return store;
  }

  get healthy(): boolean {
    return this.#level.healthy;
  }

  getMany(keys: readonly string[]): readonly (ServerRecord | undefined)[] {
    return keys.map(key => this.#index.get(key));
  }

  async insertIfAbsent(servers: readonly NewServer[]): Promise<InsertOutcome[]> {
    const now = this.#options.now();
    const records: ServerRecord[] = [];
    const others: Promise<void>[] = [];
    const outcomes = servers.map((server): InsertOutcome => {
      const key = serverKey(server.gameId, server.address);
      if (this.#index.has(key)) return 'present';
      const other = this.#inserting.get(key);
      if (other) {
        others.push(other);
        return 'present';
      }
      if (this.#index.size + this.#inserting.size >= this.#options.maxServers) return 'full';
      const { probeIntervalMs } = this.#options;
      records.push(newRecord(server.gameId, server.address, server.insertedBy, now, probeIntervalMs));
      this.#inserting.set(key, Promise.resolve());
      return 'inserted';
    });
    const own = this.#insert(records);
    for (const record of records) this.#inserting.set(record.key, own);
    await Promise.all([own, ...others]);
    return outcomes;
  }

  async #insert(records: readonly ServerRecord[]): Promise<void> {
    if (records.length === 0) return;
    try {
      await this.#level.commit(
        records.map(record => ({ type: 'put', key: PREFIX + record.key, value: encodeRecord(record) })),
      );
      for (const record of records) {
        this.#index.set(record.key, record);
        this.#counts.pending++;
        this.#due.put(record.key, record.nextProbeAt);
      }
    } finally {
      for (const record of records) this.#inserting.delete(record.key);
    }
  }

  /** Puts a record where it is due: no later than one interval away, whatever a clock that was wrong wrote into it. */
  #schedule(record: ServerRecord, now: number): void {
    const latest = now + record.intervalMs * 2;
    if (record.nextProbeAt <= latest) {
      this.#due.put(record.key, Math.max(record.nextProbeAt, now));
      return;
    }
    const mended = { ...record, nextProbeAt: now };
    const data = record.json.subarray(0, record.dataLength);
    this.#index.set(record.key, { ...mended, json: renderJson(mended, data) });
    this.#due.put(record.key, now);
  }

  /** A clock set back would leave everything due in what is now the future. */
  #followClock(now: number): void {
    if (now < this.#lastNow - CLOCK_STEP_MS) {
      this.#due = new DueWheel(DUE_BUCKET_MS);
      this.release([...this.#leases.keys()]);
      for (const record of this.#index.values()) this.#schedule(record, now);
    }
    this.#lastNow = now;
  }

  leaseDue(limit: number): Lease[] {
    const now = this.#options.now();
    this.#followClock(now);
    for (const [id, lease] of this.#leases) {
      if (lease.expiresAt > now) break;
      this.release([id]);
    }
    const given: Lease[] = [];
    for (const key of this.#due.takeDue(now, limit)) {
      const server = this.#index.get(key);
      // Removed meanwhile, or removed and inserted again, which leaves two entries in the wheel.
      if (!server || server.nextProbeAt > now + DUE_BUCKET_MS || this.#leaseOf.has(key)) continue;
      const id = this.#nextLeaseId++;
      this.#leases.set(id, { server, expiresAt: now + this.#options.leaseMs });
      this.#leaseOf.set(key, id);
      given.push({ id, server });
    }
    return given;
  }

  leased(leaseId: number): ServerRecord | undefined {
    const lease = this.#leases.get(leaseId);
    return lease && lease.expiresAt > this.#options.now() ? lease.server : undefined;
  }

  release(leaseIds: Iterable<number>): void {
    const now = this.#options.now();
    for (const id of leaseIds) {
      const lease = this.#leases.get(id);
      if (!lease) continue;
      this.#endLease(id, lease.server.key);
      // Not earlier than it was due: `leaseDue` takes earlier entries for left-overs, should the clock have gone back.
      this.#due.put(lease.server.key, Math.max(now, lease.server.nextProbeAt));
    }
  }

  #endLease(id: number, key: string): void {
    this.#leases.delete(id);
    this.#leaseOf.delete(key);
  }

  apply(leaseId: number, next: ServerRecord): boolean {
    const leased = this.leased(leaseId);
    if (!leased) return false;
    this.#endLease(leaseId, leased.key);
    const current = this.#index.get(next.key);
    if (current?.version !== leased.version) return false;
    this.#counts[current.status]--;
    this.#counts[next.status]++;
    this.#index.set(next.key, next);
    this.#due.put(next.key, next.nextProbeAt);
    this.#level.append({ type: 'put', key: PREFIX + next.key, value: encodeRecord(next) });
    return true;
  }

  async remove(keys: readonly string[]): Promise<boolean[]> {
    const removed = keys.map(key => {
      const record = this.#index.get(key);
      if (!record) return false;
      this.#index.delete(key);
      this.#counts[record.status]--;
      const leaseId = this.#leaseOf.get(key);
      if (leaseId !== undefined) this.#endLease(leaseId, key);
      return true;
    });
    const gone = keys.filter((_, i) => removed[i]);
    if (gone.length > 0) await this.#level.commit(gone.map(key => ({ type: 'del', key: PREFIX + key })));
    return removed;
  }

  async list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]> {
    const page: ServerRecord[] = [];
    for await (const [key] of this.#level.entries(PREFIX + prefix, PREFIX + afterKey)) {
      const record = this.#index.get(key.slice(PREFIX.length));
      if (record) page.push(record);
      if (page.length === limit) break;
    }
    return page;
  }

  stats(): StoreStats {
    return { tracked: this.#index.size, ...this.#counts, leased: this.#leases.size };
  }
}
