import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { LevelDbStore } from '../store/leveldb/leveldb-store.ts';
import { newRecord } from './record-status.ts';
import { labels, reasons, type ServerRecord, statuses } from './server-record.ts';

const PREFIX = 'n/';
/** A pair that was given up is tried again after this, and after twice as long each further time, up to the other, ms. */
const FIRST_PAUSE_MS = 3_600_000;
const LONGEST_PAUSE_MS = 24 * FIRST_PAUSE_MS;

export interface GivenUpServersOptions {
  now: () => number;
  /** Pairs remembered at most. */
  most: number;
  /** Whether a `serverKey` is tracked; such a pair is not remembered here. */
  isTracked(key: string): boolean;
  /** Told the key of each stored entry that is not what was written; it is forgotten. */
  corrupt(key: string): void;
}

/** An entry as it is stored: what a new record of the pair has not, as JSON under a checksum. */
function entryOf(record: ServerRecord): { key: string; value: Buffer } {
  const { insertedBy, insertedAt, status, label, reason, intervalMs, lastProbeAt, nextProbeAt } = record;
  const kept = { insertedBy, insertedAt, status, label, reason, intervalMs, lastProbeAt, nextProbeAt };
  const key = PREFIX + record.key;
  return { key, value: addChecksum(key, Buffer.from(JSON.stringify(kept))) };
}

/** What a stored entry says; undefined if it is not what was written, or by a release that knows other words. */
function storedRecord(storedKey: string, value: Buffer): ServerRecord | undefined {
  const content = checkedContent(storedKey, value);
  if (!content) return undefined;
  const key = storedKey.slice(PREFIX.length);
  const space = key.indexOf(' ');
  const kept = JSON.parse(content.toString()) as Omit<ServerRecord, 'key'>;
  if (!statuses.includes(kept.status) || !labels.includes(kept.label) || !reasons.includes(kept.reason))
    return undefined;
  const { insertedBy, insertedAt, intervalMs } = kept;
  const fresh = newRecord(key.slice(0, space), key.slice(space + 1), insertedBy, insertedAt, intervalMs);
  return { ...fresh, ...kept };
}

/**
 * Pairs that never answered and are tracked no longer, each as the record that fetches of it show until it is tried
 * again. Bounded: beyond `most` the pair that no fetch has named for longest is forgotten. Kept across restarts, but not
 * made durable: a pair that is lost is inserted anew by whoever names it.
 */
export class GivenUpServers {
  readonly #level: Pick<LevelDbStore, 'append'>;
  readonly #options: GivenUpServersOptions;
  /** By `serverKey`; the one named last is at the end. */
  readonly #records = new Map<string, ServerRecord>();

  private constructor(level: Pick<LevelDbStore, 'append'>, options: GivenUpServersOptions) {
    this.#level = level;
    this.#options = options;
  }

  /** Reads what is stored. Rejects only if the store cannot be read. */
  static async load(
    level: Pick<LevelDbStore, 'append' | 'each'>,
    options: GivenUpServersOptions,
  ): Promise<GivenUpServers> {
    const unanswered = new GivenUpServers(level, options);
    const found: ServerRecord[] = [];
    await level.each(PREFIX, (key, value) => {
      const record = storedRecord(key, value);
      if (!record) options.corrupt(key);
      if (record && !options.isTracked(record.key)) found.push(record);
      else level.append({ type: 'del', key });
    });
    // Those that were named last are those that were tried last.
    found.sort((a, b) => a.lastProbeAt - b.lastProbeAt);
    for (const record of found) unanswered.#records.set(record.key, record);
    unanswered.#makeRoom();
    return unanswered;
  }

  get size(): number {
    return this.#records.size;
  }

  /**
   * The record that a fetch shows of a pair, by its `serverKey`; undefined if it is not here. If the pair is to be tried
   * again, its record is due now and is added to `due`.
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
   * Takes in a server that was given up without ever having answered: its record before the last probe, and after. The
   * pause to the next try grows by each that was in vain. Returns the record that fetches show from now on.
   */
  keep(before: ServerRecord, after: ServerRecord): ServerRecord {
    const intervalMs = Math.min(Math.max(2 * before.intervalMs, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    const { key, gameId, address, insertedBy, insertedAt, status, label, reason, lastProbeAt } = after;
    const record: ServerRecord = {
      ...newRecord(gameId, address, insertedBy, insertedAt, intervalMs),
      ...{ status, label, reason, lastProbeAt, nextProbeAt: lastProbeAt + intervalMs },
    };
    this.#records.delete(key);
    this.#records.set(key, record);
    this.#level.append({ type: 'put', ...entryOf(record) });
    this.#makeRoom();
    return record;
  }

  /** Forgets a pair: it is tracked, or an operator removed it. Returns whether it was here. */
  drop(key: string): boolean {
    if (!this.#records.delete(key)) return false;
    this.#level.append({ type: 'del', key: PREFIX + key });
    return true;
  }

  #makeRoom(): void {
    for (const key of this.#records.keys()) {
      if (this.#records.size <= this.#options.most) return;
      this.drop(key);
    }
  }
}

/** A clock that was set back leaves nothing due in what is now the far future. */
function isDue({ nextProbeAt, intervalMs }: ServerRecord, now: number): boolean {
  return nextProbeAt <= now || nextProbeAt > now + 2 * intervalMs;
}
