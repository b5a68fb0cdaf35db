import type { Put, StorageEngine } from '../store/storage-engine.ts';
import { loadTokenNumbers, TokenNumberFormat, TokenWriteBehind } from './token-numbers.ts';

/** By token id, a slash and the minute since the Unix epoch: the requests charged in that minute. */
const format = new TokenNumberFormat('q/', 'u32');
const MINUTE_MS = 60_000;
/** The sliding window moves in steps of one minute: the current one and the 1439 before it. */
const WINDOW_MINUTES = 24 * 60;
const FLUSH_MS = 1_000;

/** The window in seconds. */
export const DAY_SECONDS = 86_400;

interface Usage {
  /** Charged requests by minute since the Unix epoch, oldest first; at most WINDOW_MINUTES of them. */
  minutes: Map<number, number>;
  /** The sum of `minutes`. */
  total: number;
  /** The minute in which minutes outside the window were last deleted. */
  prunedAt: number;
  /** Minutes whose counts are not written yet. */
  dirty: Set<number>;
}

/** The write that stores the requests of a token in a minute since the Unix epoch. */
export function usageEntry(tokenId: string, minute: number, count: number): Put {
  return format.entry(`${tokenId}/${minute}`, count);
}

/** What a stored entry says; undefined if its checksum does not match. */
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

/** Requests charged to each token within the last 24 hours. Kept in memory and written behind: a kill loses at most a second. */
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

  /** Reads what is stored. `onCorrupt` is told the key of each entry whose checksum does not match; it is deleted. */
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

  /** Requests charged to a token within the window. */
  used(tokenId: string): number {
    const usage = this.#usages.get(tokenId);
    if (!usage) return 0;
    const current = this.#minute();
    if (usage.prunedAt !== current) this.#prune(tokenId, usage, current);
    return usage.total;
  }

  /** Seconds until the oldest charged minute leaves the window; a whole window if nothing is charged. */
  resetSeconds(tokenId: string): number {
    this.used(tokenId);
    const oldest = this.#usages.get(tokenId)?.minutes.keys().next();
    if (!oldest || oldest.done) return DAY_SECONDS;
    return Math.max(1, Math.ceil(((oldest.value + WINDOW_MINUTES) * MINUTE_MS - this.#now()) / 1000));
  }

  /** Charges a request to a token. */
  charge(tokenId: string): void {
    this.used(tokenId);
    const minute = this.#minute();
    this.#add(tokenId, minute, 1).dirty.add(minute);
    this.#writeBehind.markDirty(tokenId);
  }

  /** Everything charged, minute by minute. */
  *usages(): IterableIterator<[tokenId: string, minute: number, count: number]> {
    for (const [tokenId, { minutes }] of this.#usages) {
      for (const [minute, count] of minutes) yield [tokenId, minute, count];
    }
  }

  /** Hands changes to the engine. */
  flush(): void {
    this.#writeBehind.flush();
  }

  close(): void {
    this.#writeBehind.close();
  }

  /** Deletes minutes that left the window, and those that a wrong clock put into the future. */
  #prune(tokenId: string, usage: Usage, current: number): void {
    usage.prunedAt = current;
    for (const [minute, count] of usage.minutes) {
      if (minute > current - WINDOW_MINUTES && minute <= current) continue;
      usage.minutes.delete(minute);
      usage.total -= count;
      this.#engine.append({ type: 'del', key: `${format.prefix}${tokenId}/${minute}` });
    }
  }

  /** Appends what changed of a token; false if the engine refuses. */
  #writeDirty(tokenId: string): boolean {
    const usage = this.#usages.get(tokenId);
    for (const minute of usage?.dirty ?? []) {
      const count = usage?.minutes.get(minute);
      // Undefined if the minute has left the window meanwhile.
      if (count !== undefined && !this.#engine.append(usageEntry(tokenId, minute, count))) return false;
      usage?.dirty.delete(minute);
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
