import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { StorageEngine } from '../store/storage-engine.ts';
import { newRecord } from './record-status.ts';
import { labels, reasons, type ServerRecord, statuses } from './server-record.ts';

const PREFIX = 'n/';
/** Pause before a pair that was given up is tried again, in ms: doubles with each failed try. */
const FIRST_PAUSE_MS = 3_600_000;
const LONGEST_PAUSE_MS = 24 * FIRST_PAUSE_MS;

export interface GivenUpServersOptions {
  now: () => number;
  /** Most pairs remembered. */
  most: number;
  /** Returns whether a `serverKey` is tracked; a tracked pair is not remembered here. */
  isTracked(key: string): boolean;
  /** Receives the key of each stored entry whose checksum does not match; the entry is deleted. */
  onCorrupt(key: string): void;
}

/** An entry as it is stored: the fields in which it differs from a new record of the pair, as checksummed JSON. */
function entryOf(record: ServerRecord): { key: string; value: Buffer } {
  const { insertedBy, insertedAt, status, label, reason, intervalMs, lastProbeAt, nextProbeAt } = record;
  const fields = { insertedBy, insertedAt, status, label, reason, intervalMs, lastProbeAt, nextProbeAt };
  const key = PREFIX + record.key;
  return { key, value: addChecksum(key, Buffer.from(JSON.stringify(fields))) };
}

/** The record of a stored entry; undefined if its checksum does not match, or a release with other statuses wrote it. */
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
 * Pairs that never answered and are not tracked, each with the record that fetches show until it is tried again. Bounded:
 * beyond `most` the pair least recently fetched is forgotten. Restarts keep them, but they are not made durable: the next
 * fetch inserts a pair that is lost.
 */
export class GivenUpServers {
  readonly #engine: Pick<StorageEngine, 'append'>;
  readonly #options: GivenUpServersOptions;
  /** Given-up servers by `serverKey`, least recently fetched first. */
  readonly #records = new Map<string, ServerRecord>();

  private constructor(engine: Pick<StorageEngine, 'append'>, options: GivenUpServersOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Reads the stored entries. Rejects only if the store cannot be read. */
  static async load(
    engine: Pick<StorageEngine, 'append' | 'readAll'>,
    options: GivenUpServersOptions,
  ): Promise<GivenUpServers> {
    const givenUp = new GivenUpServers(engine, options);
    const found: ServerRecord[] = [];
    await engine.readAll(PREFIX, (key, value) => {
      const record = storedRecord(key, value);
      if (!record) options.onCorrupt(key);
      if (record && !options.isTracked(record.key)) found.push(record);
      else engine.append({ type: 'del', key });
    });
    // Sorts by the last probe, because the order of fetches is not stored and this is close to it.
    found.sort((a, b) => a.lastProbeAt - b.lastProbeAt);
    for (const record of found) givenUp.#records.set(record.key, record);
    givenUp.#makeRoom();
    return givenUp;
  }

  get size(): number {
    return this.#records.size;
  }

  /**
   * The record that a fetch shows for a `serverKey`; undefined if it was not given up. If the pair is to be
   * tried again, its record is also added to `due`.
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
   * Adds a server that is given up and never answered: its records before and after the last probe. The pause to the next
   * try is twice the last one. Returns the record that fetches show from now on.
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
    this.#engine.append({ type: 'put', ...entryOf(record) });
    this.#makeRoom();
    return record;
  }

  /** Forgets a pair: it is tracked, or an operator removed it. Returns whether it had been given up. */
  forget(key: string): boolean {
    if (!this.#records.delete(key)) return false;
    this.#engine.append({ type: 'del', key: PREFIX + key });
    return true;
  }

  #makeRoom(): void {
    for (const key of this.#records.keys()) {
      if (this.#records.size <= this.#options.most) return;
      this.forget(key);
    }
  }
}

/** Whether a pair may be tried again; also if a wrong clock once put that into the far future. */
function isDue({ nextProbeAt, intervalMs }: ServerRecord, now: number): boolean {
  return nextProbeAt <= now || nextProbeAt > now + 2 * intervalMs;
}
