import type { Put, StorageEngine } from '../store/storage-engine.ts';
import type { OwnCharges } from './own-charges.ts';
import { loadTokenNumbers, readTokenNumbers, TokenNumberFormat, TokenWriteBehind } from './token-numbers.ts';

/** Prefix of the store keys of last-use times: the time when each token was last used. */
export const LAST_USES = 'u/';
/**
 * Store format of the last-use times of tokens. The key of an entry contains the token id. The value is the time when
 * the token was last used (Unix ms).
 */
const format = new TokenNumberFormat(LAST_USES, 'f64');
const FLUSH_MS = 60_000;
/**
 * Resolution of the recorded times of last use, ms. If a token is used several times within one second, only the first
 * use is recorded.
 */
const RESOLUTION_MS = 1_000;

/** Returns the write operation that stores when a token was last used. `at`: ms since the Unix epoch. */
export function lastUseEntry(tokenId: string, at: number): Put {
  return format.entry(tokenId, at);
}

/**
 * Decodes a store entry, which says when a token was last used. Returns undefined if the checksum of the entry does not
 * match.
 */
export function storedLastUse(key: string, value: Buffer): { tokenId: string; at: number } | undefined {
  const entry = format.read(key, value);
  return entry && { tokenId: entry.name, at: entry.number };
}

/**
 * Records when each token was last accepted. One core of a cluster, the lead, writes these times once a minute. If the
 * lead is killed, only the times of the last minute are lost.
 */
export class LastUse {
  readonly #engine: Pick<StorageEngine, 'readAll' | 'append'>;
  readonly #now: () => number;
  #times = new Map<string, number>();
  readonly #writeBehind: TokenWriteBehind;
  /**
   * The token uses on this core that must still be reported to the lead (the core that stores the last uses). Undefined
   * if this core is the lead.
   */
  #own: OwnCharges | undefined;
  /**
   * Ids of the tokens that were used since the last call of `takeChanges`. Undefined if this core was never the lead
   * (the core that stores the last uses).
   */
  #changes: Set<string> | undefined;

  private constructor(
    engine: Pick<StorageEngine, 'readAll' | 'append'>,
    now: () => number,
    own: OwnCharges | undefined,
  ) {
    this.#engine = engine;
    this.#now = now;
    this.#own = own;
    this.#writeBehind = new TokenWriteBehind(FLUSH_MS, tokenId =>
      engine.append(lastUseEntry(tokenId, this.at(tokenId))),
    );
  }

  /**
   * Loads the stored time of each token's last use. If this core writes the times, also deletes damaged entries, and
   * calls `onCorrupt` with their keys. `own`: collects the token uses on a core that does not write the times;
   * undefined for the core that writes them.
   */
  static async load(
    engine: Pick<StorageEngine, 'readAll' | 'append'>,
    now: () => number,
    onCorrupt: (key: string) => void = () => {},
    own?: OwnCharges,
  ): Promise<LastUse> {
    const lastUse = new LastUse(engine, now, own);
    const visit = visitTimes(lastUse.#times);
    if (own) await readTokenNumbers(engine, format, visit, () => {});
    else await loadTokenNumbers(engine, format, visit, onCorrupt);
    return lastUse;
  }

  /**
   * Makes this core the lead, which is the core that stores the last use of tokens. Loads the stored times. Then
   * applies the token uses on this core that the old lead has perhaps not stored. `onCorrupt`: called with the key of
   * each damaged entry.
   */
  async lead(onCorrupt: (key: string) => void): Promise<void> {
    const times = new Map<string, number>();
    await loadTokenNumbers(this.#engine, format, visitTimes(times), onCorrupt);
    const own = this.#own;
    this.#own = undefined;
    this.#times = times;
    this.#changes = new Set();
    for (const { tokenId, lastUsedMs } of own?.all() ?? []) this.noteAt(tokenId, lastUsedMs);
  }

  /** Returns the time of the last use of a token (Unix ms); 0 if the token was never used. */
  at(tokenId: string): number {
    return this.#times.get(tokenId) ?? 0;
  }

  /** Records the current time as the last use of a token. */
  note(tokenId: string): void {
    const now = this.#now();
    // Records nothing if less than RESOLUTION_MS has passed since the recorded use. If the clock was set back, the
    // recorded time can be far in the future. Because of `Math.abs`, the current time then replaces the recorded time.
    if (Math.abs(now - this.at(tokenId)) < RESOLUTION_MS) return;
    this.#times.set(tokenId, now);
    if (this.#own) this.#own.noteUse(tokenId, now);
    else this.#markChanged(tokenId);
  }

  /**
   * Records that another core has accepted a token at the time `at` (Unix ms). If `at` is in the future because the
   * clock of that core is ahead, records the current time instead.
   */
  noteAt(tokenId: string, at: number): void {
    const used = Math.min(at, this.#now());
    if (used <= this.at(tokenId)) return;
    this.#times.set(tokenId, used);
    this.#markChanged(tokenId);
  }

  /**
   * Records the time of a token's last use, as received from the lead (the core of the cluster that writes these
   * times). Only the other cores call this method.
   */
  setTime(tokenId: string, at: number): void {
    if (at > this.at(tokenId)) this.#times.set(tokenId, at);
  }

  /**
   * Returns the ids of the tokens whose time of last use has changed since the previous call of this method. Returns no
   * ids if this core was never the lead (the core that stores these times).
   */
  takeChanges(): ReadonlySet<string> {
    const changes = this.#changes;
    if (!changes) return new Set();
    this.#changes = new Set();
    return changes;
  }

  /** Iterates over all tokens that were ever used, with the time when each was last used. */
  times(): IterableIterator<[tokenId: string, at: number]> {
    return this.#times.entries();
  }

  /** Stores the last-use time of each token, if this time has changed since the last write. */
  flush(): void {
    this.#writeBehind.flush();
  }

  close(): void {
    this.#writeBehind.close();
  }

  #markChanged(tokenId: string): void {
    this.#writeBehind.markDirty(tokenId);
    this.#changes?.add(tokenId);
  }
}

function visitTimes(times: Map<string, number>): (tokenId: string, at: number) => boolean {
  return (tokenId, at) => {
    times.set(tokenId, at);
    return true;
  };
}
