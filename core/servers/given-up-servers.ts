import type { SharedBuckets } from '../store/bucket-reader.ts';
import { addChecksum, checkedContent } from '../store/checksummed.ts';
import { visitInTurns } from '../store/in-turns.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import { newRecord } from './record-status.ts';
import { labels, reasons, type ServerRecord, statuses } from './server-record.ts';

const PREFIX = 'n/';
/**
 * First pause, and longest pause, before gsq again tries a given-up server (one that never answered), ms. Each failed
 * try doubles the pause.
 */
const FIRST_PAUSE_MS = 3_600_000;
const LONGEST_PAUSE_MS = 24 * FIRST_PAUSE_MS;
/** Number of stored records that are decoded in one turn of the event loop. Decoding them takes about 3 ms. */
const RECORDS_A_TURN = 500;
/**
 * Number of servers whose bucket (group of servers) is computed in one turn of the event loop. This takes about 2 ms.
 */
const KEYS_A_TURN = 5_000;

/** Options of `GivenUpServers.load` (loads the servers that gsq gave up because they never answered). */
export interface GivenUpServersOptions {
  now: () => number;
  /** Maximum number of given-up servers (which never answered) in memory. */
  most: number;
  /**
   * Returns true if gsq tracks the server with this `serverKey`. If the store also lists the server as given up, that
   * record is outdated, so it is deleted and not loaded.
   */
  isTracked(key: string): boolean;
  /**
   * Called if the stored record of a given-up server is not valid, for example because of a wrong checksum. `key`:
   * storage key of the record, which is then deleted.
   */
  onCorrupt(key: string): void;
  /** Access to the buckets of servers in a shared storage engine. Absent if only this core uses the engine. */
  buckets?: SharedBuckets | undefined;
}

/**
 * Encodes the record of a given-up server for the store, as JSON with a checksum. Leaves out the fields that
 * `newRecord` can set again when the stored record is read.
 */
function entryOf(record: ServerRecord): { key: string; value: Buffer } {
  const { insertedBy, insertedAt, status, label, reason, intervalMs, lastProbeAt, nextProbeAt } = record;
  const fields = { insertedBy, insertedAt, status, label, reason, intervalMs, lastProbeAt, nextProbeAt };
  const key = PREFIX + record.key;
  return { key, value: addChecksum(key, Buffer.from(JSON.stringify(fields))) };
}

/**
 * Decodes the stored record of a given-up server. Returns undefined if the checksum is wrong, or if the record contains
 * a status, label or reason that this release does not know.
 */
function storedRecord(storedKey: string, value: Buffer): ServerRecord | undefined {
  const content = checkedContent(storedKey, value);
  if (!content) return undefined;
  const key = storedKey.slice(PREFIX.length);
  const space = key.indexOf(' ');
  const fields = JSON.parse(content.toString()) as Omit<ServerRecord, 'key'>;
  const { status, label, reason } = fields;
  if (!statuses.includes(status) || !labels.includes(label) || !reasons.includes(reason)) return undefined;
  const { insertedBy, insertedAt, intervalMs } = fields;
  const fresh = newRecord(key.slice(0, space), key.slice(space + 1), insertedBy, insertedAt, intervalMs);
  return { ...fresh, ...fields };
}

/**
 * The servers that gsq gave up because they never answered. Fetches still show their records. If there are more than
 * `most`, forgets the server whose last fetch was longest ago.
 */
export class GivenUpServers {
  readonly #engine: Pick<StorageEngine, 'append'>;
  readonly #options: GivenUpServersOptions;
  /**
   * Records of given-up servers (which never answered), keyed by `serverKey`. The first entry is the server that was
   * fetched least recently.
   */
  readonly #records = new Map<string, ServerRecord>();

  private constructor(engine: Pick<StorageEngine, 'append'>, options: GivenUpServersOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /**
   * Loads the given-up servers (those that never answered) from the store. If several cores share the storage engine,
   * loads none: `takeBuckets` loads them later. Rejects only if the store cannot be read.
   */
  static async load(
    engine: Pick<StorageEngine, 'append' | 'readAll'>,
    options: GivenUpServersOptions,
  ): Promise<GivenUpServers> {
    const givenUp = new GivenUpServers(engine, options);
    if (options.buckets) return givenUp;
    const found: ServerRecord[] = [];
    await engine.readAll(PREFIX, (key, value) => {
      const record = givenUp.#readRecord(key, value);
      if (record) found.push(record);
    });
    givenUp.#addAll(found);
    return givenUp;
  }

  /**
   * Loads the given-up servers of the buckets that this core has acquired. Call this method after the tracked servers
   * of the buckets are loaded. Rejects only if the storage engine cannot be read.
   */
  async takeBuckets(buckets: readonly number[]): Promise<void> {
    const stored: [key: string, value: Buffer][] = [];
    await this.#options.buckets?.reader.readBuckets(buckets, PREFIX, (key, value) => {
      stored.push([key, value]);
    });
    const found: ServerRecord[] = [];
    await visitInTurns(stored, RECORDS_A_TURN, ([key, value]) => {
      const record = this.#readRecord(key, value);
      if (record) found.push(record);
    });
    this.#addAll(found);
  }

  /**
   * Removes the given-up servers of these buckets from memory. Keeps their records in the storage engine, because the
   * next core that owns the buckets loads them.
   */
  async giveBuckets(buckets: readonly number[]): Promise<void> {
    const { bucketOf } = this.#options.buckets ?? {};
    if (!bucketOf) return;
    const given = new Set(buckets);
    await visitInTurns(this.#records.keys(), KEYS_A_TURN, key => {
      if (given.has(bucketOf(key))) this.#records.delete(key);
    });
  }

  get size(): number {
    return this.#records.size;
  }

  /**
   * Returns the record of a given-up server; undefined if no given-up server has this `serverKey`. If gsq must try the
   * server again now, also adds the record to `due`.
   */
  find(key: string, due: ServerRecord[]): ServerRecord | undefined {
    const record = this.#records.get(key);
    if (!record) return undefined;
    this.#records.delete(key);
    this.#records.set(key, record);
    const now = this.#options.now();
    if (!isDue(record, now)) return record;
    const dueNow = { ...record, nextProbeAt: now };
    due.push(dueNow);
    return dueNow;
  }

  /**
   * Adds a server to the given-up servers. Returns the record that fetches show from now on. The pause before the next
   * probe is twice the previous interval of the server, within fixed limits. `before`, `after`: the records before and
   * after the last probe.
   */
  addServer(before: ServerRecord, after: ServerRecord): ServerRecord {
    const intervalMs = Math.min(Math.max(2 * before.intervalMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    const { key, gameId, address, insertedBy, insertedAt, status, label, reason, lastProbeAt } = after;
    const record: ServerRecord = {
      ...newRecord(gameId, address, insertedBy, insertedAt, intervalMs),
      ...{ status, label, reason, lastProbeAt, nextProbeAt: lastProbeAt + intervalMs },
    };
    this.#records.delete(key);
    this.#records.set(key, record);
    // Does not wait until the record of the given-up server is written. If the write is lost, the next fetch inserts
    // this server as a new one.
    this.#engine.append({ type: 'put', ...entryOf(record) });
    this.#makeRoom();
    return record;
  }

  /**
   * Removes a server from the list of given-up servers. Call this method when gsq tracks the server again, or when the
   * operator removes it. Returns true if the server was in the list.
   */
  forget(key: string): boolean {
    if (!this.#records.delete(key)) return false;
    this.#engine.append({ type: 'del', key: PREFIX + key });
    return true;
  }

  /**
   * Reads the stored record of a given-up server. Deletes the record and returns undefined if the record is not valid,
   * or if gsq tracks the server again.
   */
  #readRecord(storedKey: string, value: Buffer): ServerRecord | undefined {
    const { isTracked, onCorrupt } = this.#options;
    const record = storedRecord(storedKey, value);
    if (!record) onCorrupt(storedKey);
    if (record && !isTracked(record.key)) return record;
    this.#engine.append({ type: 'del', key: storedKey });
    return undefined;
  }

  #addAll(found: ServerRecord[]): void {
    // The store does not contain the times of fetches. Therefore loaded servers are sorted by their last probe, not by
    // their last fetch.
    found.sort((a, b) => a.lastProbeAt - b.lastProbeAt);
    for (const record of found) this.#records.set(record.key, record);
    this.#makeRoom();
  }

  #makeRoom(): void {
    for (const key of this.#records.keys()) {
      if (this.#records.size <= this.#options.most) return;
      this.forget(key);
    }
  }
}

/**
 * True if gsq must try the server again: its `nextProbeAt` has passed, or is too far in the future. A time too far in
 * the future shows that the clock was wrong when `nextProbeAt` was set.
 */
function isDue({ nextProbeAt, intervalMs }: ServerRecord, now: number): boolean {
  return nextProbeAt <= now || nextProbeAt > now + 2 * intervalMs;
}
