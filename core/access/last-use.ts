import type { Put, StorageEngine } from '../store/storage-engine.ts';
import { loadTokenNumbers, TokenNumberFormat, TokenWriteBehind } from './token-numbers.ts';

/**
 * Store format of the time when a token was last used. The key contains the token id, and the value is the time (Unix
 * ms).
 */
const format = new TokenNumberFormat('u/', 'f64');
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
 * Reads from a store entry when a token was last used. Returns undefined if the checksum of the entry does not match.
 */
export function storedLastUse(key: string, value: Buffer): { tokenId: string; at: number } | undefined {
  const entry = format.read(key, value);
  return entry && { tokenId: entry.name, at: entry.number };
}

/**
 * Records when each token was last accepted. The times are in memory and are written to the storage engine once a
 * minute, so a kill of the process loses the uses of at most one minute.
 */
export class LastUse {
  readonly #now: () => number;
  readonly #times = new Map<string, number>();
  readonly #writeBehind: TokenWriteBehind;

  private constructor(engine: Pick<StorageEngine, 'append'>, now: () => number) {
    this.#now = now;
    this.#writeBehind = new TokenWriteBehind(FLUSH_MS, tokenId =>
      engine.append(lastUseEntry(tokenId, this.at(tokenId))),
    );
  }

  /**
   * Loads the stored times when each token was last used. Deletes each store entry whose checksum does not match, and
   * calls `onCorrupt` with the key of the entry.
   */
  static async load(
    engine: Pick<StorageEngine, 'readAll' | 'append'>,
    now: () => number,
    onCorrupt: (key: string) => void = () => {},
  ): Promise<LastUse> {
    const lastUse = new LastUse(engine, now);
    const visit = (tokenId: string, at: number): boolean => {
      lastUse.#times.set(tokenId, at);
      return true;
    };
    await loadTokenNumbers(engine, format, visit, onCorrupt);
    return lastUse;
  }

  /** Returns the time of the last use of a token (Unix ms); 0 if the token was never used. */
  at(tokenId: string): number {
    return this.#times.get(tokenId) ?? 0;
  }

  /** Records the current time as the last use of a token. */
  note(tokenId: string): void {
    const now = this.#now();
    // After the clock was set back, a recorded time can be in the future. Without `Math.abs`, such a time would not be
    // replaced.
    if (Math.abs(now - this.at(tokenId)) < RESOLUTION_MS) return;
    this.#times.set(tokenId, now);
    this.#writeBehind.markDirty(tokenId);
  }

  /** Iterates over all tokens that were ever used, with the time when each was last used. */
  times(): IterableIterator<[tokenId: string, at: number]> {
    return this.#times.entries();
  }

  /**
   * Writes to the storage engine when each token was last used. Leaves out tokens whose time has not changed since the
   * last write.
   */
  flush(): void {
    this.#writeBehind.flush();
  }

  close(): void {
    this.#writeBehind.close();
  }
}
