import type { Put, StorageEngine } from '../store/storage-engine.ts';
import { loadTokenNumbers, TokenNumberFormat, TokenWriteBehind } from './token-numbers.ts';

/**
 * Store format of the usage of tokens. The key contains the token id, a slash and the minute (minutes since the Unix
 * epoch). The value is the number of requests charged in that minute.
 */
const format = new TokenNumberFormat('q/', 'u32');
const MINUTE_MS = 60_000;
/**
 * Length of the sliding window of the daily quota, in minutes. The window moves by one minute at a time: it covers the
 * current minute and the 1439 minutes before.
 */
const WINDOW_MINUTES = 24 * 60;
const FLUSH_MS = 1_000;

/** Length of the sliding window of the daily quota, in seconds. */
export const DAY_SECONDS = 86_400;

interface Usage {
  /**
   * Number of requests charged to the token in each minute. The key is the minute since the Unix epoch. The oldest
   * minute comes first. `#prune` limits the map to WINDOW_MINUTES minutes.
   */
  minutes: Map<number, number>;
  /** Total number of requests charged to the token: the sum of all counts in the map `minutes`. */
  total: number;
  /** Minute in which `#prune` last ran. `#prune` deletes the counts of minutes that are more than 24 hours old. */
  prunedAt: number;
  /** Minutes whose number of requests was changed or deleted in memory, but not yet in the storage engine. */
  dirty: Set<number>;
}

/**
 * Returns the write operation that stores the number of requests charged to a token in one minute. `minute`: minutes
 * since the Unix epoch.
 */
export function usageEntry(tokenId: string, minute: number, count: number): Put {
  return format.entry(`${tokenId}/${minute}`, count);
}

/**
 * Reads a store entry: the number of requests charged to a token in one minute. Returns undefined if the checksum does
 * not match or the key is malformed.
 */
export function storedUsage(
  key: string,
  value: Buffer,
): { tokenId: string; minute: number; count: number } | undefined {
  const entry = format.read(key, value);
  const named = entry && tokenAndMinute(entry.name);
  return named && { ...named, count: entry.number };
}

function tokenAndMinute(name: string): { tokenId: string; minute: number } | undefined {
  const [tokenId = '', minute = ''] = name.split('/');
  return /^\d+$/.test(minute) ? { tokenId, minute: Number(minute) } : undefined;
}

/**
 * Counts the requests that were charged to each token within the last 24 hours. The counts are in memory and are
 * written to the storage engine once a second, so a kill of the process loses the charges of at most one second.
 */
export class DayQuota {
  readonly #engine: Pick<StorageEngine, 'append'>;
  readonly #now: () => number;
  readonly #usages = new Map<string, Usage>();
  readonly #writeBehind: TokenWriteBehind;

  private constructor(engine: Pick<StorageEngine, 'append'>, now: () => number) {
    this.#engine = engine;
    this.#now = now;
    this.#writeBehind = new TokenWriteBehind(FLUSH_MS, tokenId => this.#writeDirty(tokenId));
  }

  /**
   * Loads the stored usage of all tokens. Deletes each entry whose checksum does not match or whose key is malformed,
   * and calls `onCorrupt` with the key of the entry.
   */
  static async load(
    engine: Pick<StorageEngine, 'readAll' | 'append'>,
    now: () => number,
    onCorrupt: (key: string) => void = () => {},
  ): Promise<DayQuota> {
    const quota = new DayQuota(engine, now);
    const visit = (name: string, count: number): boolean => {
      const named = tokenAndMinute(name);
      if (named) quota.#add(named.tokenId, named.minute, count);
      return named !== undefined;
    };
    await loadTokenNumbers(engine, format, visit, onCorrupt);
    return quota;
  }

  /** Returns the number of requests charged to a token within the last 24 hours. */
  used(tokenId: string): number {
    const usage = this.#usages.get(tokenId);
    if (!usage) return 0;
    const current = this.#minute();
    if (usage.prunedAt !== current) this.#prune(tokenId, usage, current);
    return usage.total;
  }

  /**
   * Returns the number of seconds until the oldest requests charged to a token are 24 hours old, and no longer count
   * against its daily quota. Returns DAY_SECONDS if no requests are charged.
   */
  resetSeconds(tokenId: string): number {
    this.used(tokenId);
    const oldest = this.#usages.get(tokenId)?.minutes.keys().next();
    if (!oldest || oldest.done) return DAY_SECONDS;
    return Math.max(1, Math.ceil(((oldest.value + WINDOW_MINUTES) * MINUTE_MS - this.#now()) / 1000));
  }

  /** Charges one request to a token. */
  charge(tokenId: string): void {
    this.used(tokenId);
    const minute = this.#minute();
    this.#add(tokenId, minute, 1).dirty.add(minute);
    this.#writeBehind.markDirty(tokenId);
  }

  /** Yields the number of requests charged to each token in each minute. `minute`: minutes since the Unix epoch. */
  *usages(): IterableIterator<[tokenId: string, minute: number, count: number]> {
    for (const [tokenId, { minutes }] of this.#usages) {
      for (const [minute, count] of minutes) yield [tokenId, minute, count];
    }
  }

  /** Writes all changed request counts of tokens to the storage engine. */
  flush(): void {
    this.#writeBehind.flush();
  }

  close(): void {
    this.#writeBehind.close();
  }

  /**
   * Deletes a token's request counts of minutes before the window of the daily quota. If the clock was set back, there
   * are counts of minutes in the future. Moves these counts to the current minute, so that they still count against the
   * quota.
   */
  #prune(tokenId: string, usage: Usage, current: number): void {
    usage.prunedAt = current;
    for (const [minute, count] of usage.minutes) {
      if (minute > current - WINDOW_MINUTES && minute <= current) continue;
      usage.minutes.delete(minute);
      usage.total -= count;
      usage.dirty.add(minute);
      if (minute > current) this.#add(tokenId, current, count).dirty.add(current);
      this.#writeBehind.markDirty(tokenId);
    }
  }

  /**
   * Writes the changed request counts of a token, and deletes the counts that `#prune` has deleted. Returns false if
   * the storage engine refuses an operation. The remaining changes then stay marked as not written (dirty).
   */
  #writeDirty(tokenId: string): boolean {
    const usage = this.#usages.get(tokenId);
    if (!usage) return true;
    const { minutes, dirty } = usage;
    // Writes changed counts first, and deletes old counts afterwards. After the clock was set back, `#prune` moves the
    // counts of deleted minutes to the current minute. If the deletions came first, and the engine then refused or lost
    // the count of the current minute, the store would lose the moved counts.
    const ordered = [...dirty].sort((a, b) => Number(minutes.has(b)) - Number(minutes.has(a)));
    for (const minute of ordered) {
      const count = minutes.get(minute);
      const isAccepted = this.#engine.append(
        count === undefined
          ? { type: 'del', key: `${format.prefix}${tokenId}/${minute}` }
          : usageEntry(tokenId, minute, count),
      );
      if (!isAccepted) return false;
      dirty.delete(minute);
    }
    return true;
  }

  #minute(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }

  #add(tokenId: string, minute: number, count: number): Usage {
    let usage = this.#usages.get(tokenId);
    if (!usage) {
      usage = { minutes: new Map(), total: 0, prunedAt: 0, dirty: new Set() };
      this.#usages.set(tokenId, usage);
    }
    usage.minutes.set(minute, (usage.minutes.get(minute) ?? 0) + count);
    usage.total += count;
    return usage;
  }
}
