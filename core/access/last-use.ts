import type { Put, StorageEngine } from '../store/storage-engine.ts';
import { loadTokenNumbers, TokenNumberFormat, TokenWriteBehind } from './token-numbers.ts';

/** By token id: the time of its last use. */
const format = new TokenNumberFormat('u/', 'f64');
const FLUSH_MS = 60_000;
/** Of several uses within this time only the first is noted. */
const RESOLUTION_MS = 1_000;

/** The write that stores a last use. `at`: ms since the Unix epoch. */
export function lastUseEntry(tokenId: string, at: number): Put {
  return format.entry(tokenId, at);
}

/** What a stored entry says; undefined if its checksum does not match. */
export function storedLastUse(key: string, value: Buffer): { tokenId: string; at: number } | undefined {
  const entry = format.read(key, value);
  return entry && { tokenId: entry.name, at: entry.number };
}

/** When each token was last accepted. Kept in memory and written behind: a kill loses at most a minute. */
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

  /** Reads what is stored. `onCorrupt` is told the key of each entry whose checksum does not match; it is deleted. */
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

  /** Milliseconds since the Unix epoch; 0 if the token was never used. */
  at(tokenId: string): number {
    return this.#times.get(tokenId) ?? 0;
  }

  /** Notes that a token is used now. */
  note(tokenId: string): void {
    const now = this.#now();
    // The difference may be negative: a clock may have been ahead for a while.
    if (Math.abs(now - this.at(tokenId)) < RESOLUTION_MS) return;
    this.#times.set(tokenId, now);
    this.#writeBehind.markDirty(tokenId);
  }

  /** The last use of every token that has one. */
  times(): IterableIterator<[tokenId: string, at: number]> {
    return this.#times.entries();
  }

  /** Hands changes to the engine. */
  flush(): void {
    this.#writeBehind.flush();
  }

  close(): void {
    this.#writeBehind.close();
  }
}
