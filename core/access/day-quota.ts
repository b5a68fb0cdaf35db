import type { Put, StorageEngine } from '../store/storage-engine.ts';
import type { OwnCharges } from './own-charges.ts';
import { loadTokenNumbers, readTokenNumbers, TokenNumberFormat, TokenWriteBehind } from './token-numbers.ts';
import { setCount, setMinute, tokenAndMinute, type Usage, usageOf, visitUsages } from './token-usage.ts';

/** Prefix of the store keys of token usage: the number of requests charged to a token in each minute. */
export const USAGES = 'q/';
/**
 * Store format of the usage of tokens. The key contains the token id, a slash and the minute (minutes since the Unix
 * epoch). The value is the number of requests charged in that minute.
 */
const format = new TokenNumberFormat(USAGES, 'u32');
const MINUTE_MS = 60_000;
/**
 * Length of the sliding window of the daily quota, in minutes. The window moves by one minute at a time: it covers the
 * current minute and the 1439 minutes before.
 */
const WINDOW_MINUTES = 24 * 60;
const FLUSH_MS = 1_000;

/** Length of the sliding window of the daily quota, in seconds. */
export const DAY_SECONDS = 86_400;

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

/**
 * Counts the requests of each token within the last 24 hours. One core of a cluster, the lead, writes the counts once a
 * second; the others copy them. If the lead is killed, at most the counts of the last second are lost.
 */
export class DayQuota {
  readonly #engine: Pick<StorageEngine, 'readAll' | 'append'>;
  readonly #now: () => number;
  #usages = new Map<string, Usage>();
  readonly #writeBehind: TokenWriteBehind;
  /**
   * Requests that this core has admitted and that the lead (the core that writes the counts) has not counted yet.
   * Undefined if this core is the lead.
   */
  #own: OwnCharges | undefined;
  /**
   * Minutes whose request counts have changed since the last call of `takeChanges`, keyed by token id. Undefined if
   * this core was never the lead, the core that writes the counts.
   */
  #changes: Map<string, Set<number>> | undefined;

  private constructor(
    engine: Pick<StorageEngine, 'readAll' | 'append'>,
    now: () => number,
    own: OwnCharges | undefined,
  ) {
    this.#engine = engine;
    this.#now = now;
    this.#own = own;
    this.#writeBehind = new TokenWriteBehind(FLUSH_MS, tokenId => this.#writeDirty(tokenId));
  }

  /**
   * Loads the stored request counts of all tokens. If this core writes the counts, also deletes damaged entries, and
   * calls `onCorrupt` with their keys. `own`: collects the requests of a core that does not write the counts; undefined
   * for the core that writes them.
   */
  static async load(
    engine: Pick<StorageEngine, 'readAll' | 'append'>,
    now: () => number,
    onCorrupt: (key: string) => void = () => {},
    own?: OwnCharges,
  ): Promise<DayQuota> {
    const quota = new DayQuota(engine, now, own);
    const visit = visitUsages(quota.#usages);
    if (own) await readTokenNumbers(engine, format, visit, () => {});
    else await loadTokenNumbers(engine, format, visit, onCorrupt);
    return quota;
  }

  /**
   * Makes this core the lead, the core that writes the request counts. Loads the stored counts, and adds the requests
   * that this core has admitted and that are not stored yet. `onCorrupt`: called with the key of each damaged entry.
   */
  async lead(onCorrupt: (key: string) => void): Promise<void> {
    const usages = new Map<string, Usage>();
    await loadTokenNumbers(this.#engine, format, visitUsages(usages), onCorrupt);
    const own = this.#own;
    this.#own = undefined;
    this.#usages = usages;
    this.#changes = new Map();
    for (const { tokenId, minute, requests } of own?.all() ?? []) this.addRequests(tokenId, minute, requests);
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
   * Returns the seconds until the oldest requests charged to a token leave the 24-hour window. Returns DAY_SECONDS if
   * no requests are charged.
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
    if (this.#own) this.#add(tokenId, this.#own.addRequest(tokenId, minute), 1);
    else this.#addOwned(tokenId, minute, 1);
  }

  /**
   * Counts requests that another core has admitted in `minute` (minutes since the Unix epoch). Ignores requests older
   * than 24 hours. If the other core's clock is ahead, counts its requests for the current minute.
   */
  addRequests(tokenId: string, minute: number, requests: number): void {
    this.used(tokenId);
    const current = this.#minute();
    if (requests <= 0 || minute <= current - WINDOW_MINUTES) return;
    this.#addOwned(tokenId, Math.min(minute, current), requests);
  }

  /** Returns the number of requests charged to a token in a minute. */
  countOf(tokenId: string, minute: number): number {
    return this.#usages.get(tokenId)?.minutes.get(minute) ?? 0;
  }

  /**
   * Replaces the number of requests charged to a token in a minute. Only one core, the lead, writes the counts. The
   * other cores copy a count of the lead with this method.
   */
  setCount(tokenId: string, minute: number, count: number): void {
    setCount(this.#usages, tokenId, minute, count);
  }

  /**
   * Replaces the request counts of all tokens. Only one core, the lead, writes the counts. The other cores copy the
   * counts of the lead with this method.
   */
  replaceAll(usages: Iterable<readonly [tokenId: string, minute: number, count: number]>): void {
    const replaced = new Map<string, Usage>();
    for (const [tokenId, minute, count] of usages) setCount(replaced, tokenId, minute, count);
    this.#usages = replaced;
  }

  /**
   * Returns the minutes whose request counts have changed since the previous call of this method, keyed by token id.
   * Returns an empty map if this core was never the lead, the core that writes the counts.
   */
  takeChanges(): ReadonlyMap<string, ReadonlySet<number>> {
    const changes = this.#changes;
    if (!changes) return new Map();
    this.#changes = new Map();
    return changes;
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
   * Deletes request counts of a token that are too old for the daily quota. After the clock was set back, moves counts
   * of future minutes to the current minute.
   */
  #prune(tokenId: string, usage: Usage, current: number): void {
    usage.prunedAt = current;
    for (const [minute, count] of usage.minutes) {
      const isFuture = minute > current;
      // Keeps the count of a future minute if another core writes the counts, because the clock of that core can be
      // ahead.
      if (minute > current - WINDOW_MINUTES && (!isFuture || this.#own)) continue;
      usage.minutes.delete(minute);
      usage.total -= count;
      if (this.#own) continue;
      this.#markChanged(tokenId, usage, minute);
      if (isFuture) this.#addOwned(tokenId, current, count);
    }
  }

  /**
   * Writes the changed request counts of a token, and deletes the stored counts that are no longer in memory. Returns
   * false if the storage engine refuses an operation; the next call then writes the rest.
   */
  #writeDirty(tokenId: string): boolean {
    const usage = this.#usages.get(tokenId);
    if (!usage) return true;
    const { minutes, dirty } = usage;
    // Writes the new counts first, and deletes old entries last. The reason is that `#prune` can move a count to
    // another minute: it adds the new count and removes the old one. If the deletion came first and the next write
    // failed, the count could be lost.
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
    const usage = usageOf(this.#usages, tokenId);
    setMinute(usage, minute, (usage.minutes.get(minute) ?? 0) + count);
    return usage;
  }

  /** Adds requests to the count of a token. Used only if this core itself writes the counts to the storage engine. */
  #addOwned(tokenId: string, minute: number, count: number): void {
    this.#markChanged(tokenId, this.#add(tokenId, minute, count), minute);
  }

  #markChanged(tokenId: string, usage: Usage, minute: number): void {
    usage.dirty.add(minute);
    this.#writeBehind.markDirty(tokenId);
    if (!this.#changes) return;
    const minutes = this.#changes.get(tokenId);
    if (minutes) minutes.add(minute);
    else this.#changes.set(tokenId, new Set([minute]));
  }
}
