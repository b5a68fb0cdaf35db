import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { LevelDbStore } from '../store/leveldb/leveldb-store.ts';

const PREFIX = 'q/';
const MINUTE_MS = 60_000;
/** The window rolls in steps of one minute: the current one and the 1439 before it. */
const WINDOW_MINUTES = 24 * 60;
const FLUSH_MS = 1_000;
const UNSEALED_BYTES = 4;

export const DAY_SECONDS = 86_400;

interface Usage {
  /** Charged requests by minute since the Unix epoch, oldest first; at most WINDOW_MINUTES of them. */
  minutes: Map<number, number>;
  total: number;
  /** The minute it was last looked through in. */
  prunedAt: number;
}

/** An entry as it is stored. */
export function usageEntry(tokenId: string, minute: number, count: number): { key: string; value: Buffer } {
  const key = `${PREFIX}${tokenId}/${minute}`;
  const value = Buffer.alloc(4);
  value.writeUInt32LE(count);
  return { key, value: addChecksum(key, value) };
}

/** What an entry says; undefined where it is not what was written. */
export function storedUsage(
  key: string,
  value: Buffer,
): { tokenId: string; minute: number; count: number } | undefined {
  const [, tokenId = '', minute = ''] = key.split('/');
  // Releases before checksums stored the number alone.
  const count = value.length === UNSEALED_BYTES ? value : checkedContent(key, value);
  if (count?.length !== UNSEALED_BYTES || !/^\d+$/.test(minute)) return undefined;
  return { tokenId, minute: Number(minute), count: count.readUInt32LE() };
}

/**
 * Requests charged to each token within the last 24 hours. Kept in memory and written behind, so that a restart
 * forgets at most the last second.
 */
export class DayQuota {
  readonly #level: LevelDbStore;
  readonly #now: () => number;
  readonly #usages = new Map<string, Usage>();
  readonly #dirty = new Map<string, Set<number>>();
  readonly #timer: NodeJS.Timeout;

  private constructor(level: LevelDbStore, now: () => number) {
    this.#level = level;
    this.#now = now;
    this.#timer = setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  /** `corrupt` is told the key of each entry that is not what was written; it is forgotten. */
  static async load(
    level: LevelDbStore,
    now: () => number,
    corrupt: (key: string) => void = () => {},
  ): Promise<DayQuota> {
    const quota = new DayQuota(level, now);
    for await (const [key, value] of level.entries(PREFIX)) {
      const usage = storedUsage(key, value);
      if (usage) {
        quota.#add(usage.tokenId, usage.minute, usage.count);
        continue;
      }
      corrupt(key);
      level.append({ type: 'del', key });
    }
    return quota;
  }

  /** Requests charged within the window. */
  used(tokenId: string): number {
    const usage = this.#usages.get(tokenId);
    if (!usage) return 0;
    const current = this.#minute();
    if (usage.prunedAt !== current) this.#prune(tokenId, usage, current);
    return usage.total;
  }

  /** Drops what left the window, and what a clock that was wrong for a while put into the future. */
  #prune(tokenId: string, usage: Usage, current: number): void {
    usage.prunedAt = current;
    for (const [minute, count] of usage.minutes) {
      if (minute > current - WINDOW_MINUTES && minute <= current) continue;
      usage.minutes.delete(minute);
      usage.total -= count;
      this.#level.append({ type: 'del', key: `${PREFIX}${tokenId}/${minute}` });
    }
  }

  /** Seconds until the oldest charged minute leaves the window; a whole window where nothing is charged. */
  resetSeconds(tokenId: string): number {
    this.used(tokenId);
    const oldest = this.#usages.get(tokenId)?.minutes.keys().next();
    if (!oldest || oldest.done) return DAY_SECONDS;
    return Math.max(1, Math.ceil(((oldest.value + WINDOW_MINUTES) * MINUTE_MS - this.#now()) / 1000));
  }

  charge(tokenId: string): void {
    this.used(tokenId);
    const minute = this.#minute();
    this.#add(tokenId, minute, 1);
    const dirty = this.#dirty.get(tokenId);
    if (dirty) dirty.add(minute);
    else this.#dirty.set(tokenId, new Set([minute]));
  }

  /** All that is charged, minute by minute. */
  *usages(): IterableIterator<[tokenId: string, minute: number, count: number]> {
    for (const [tokenId, { minutes }] of this.#usages) {
      for (const [minute, count] of minutes) yield [tokenId, minute, count];
    }
  }

  /** Hands what was charged to the store. */
  flush(): void {
    for (const [tokenId, minutes] of this.#dirty) {
      for (const minute of minutes) {
        const count = this.#usages.get(tokenId)?.minutes.get(minute);
        // It has left the window since.
        if (count === undefined) {
          minutes.delete(minute);
          continue;
        }
        // While no writes are taken it stays to be written.
        if (!this.#level.append({ type: 'put', ...usageEntry(tokenId, minute, count) })) return;
        minutes.delete(minute);
      }
      this.#dirty.delete(tokenId);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }

  #minute(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }

  #add(tokenId: string, minute: number, count: number): void {
    let usage = this.#usages.get(tokenId);
    if (!usage) {
      usage = { minutes: new Map(), total: 0, prunedAt: 0 };
      this.#usages.set(tokenId, usage);
    }
    usage.minutes.set(minute, (usage.minutes.get(minute) ?? 0) + count);
    usage.total += count;
  }
}
