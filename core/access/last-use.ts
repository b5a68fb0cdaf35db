import { addChecksum, checkedContent } from '../store/checksummed.ts';
import type { LevelDbStore } from '../store/leveldb/leveldb-store.ts';

const PREFIX = 'u/';
const FLUSH_MS = 60_000;
const UNSEALED_BYTES = 8;
/** Of more than one use within this time only the first is noted. */
const RESOLUTION_MS = 1_000;

/** An entry as it is stored. */
export function lastUseEntry(tokenId: string, at: number): { key: string; value: Buffer } {
  const key = PREFIX + tokenId;
  const value = Buffer.alloc(8);
  value.writeDoubleLE(at);
  return { key, value: addChecksum(key, value) };
}

/** What an entry says; undefined where it is not what was written. */
export function storedLastUse(key: string, value: Buffer): { tokenId: string; at: number } | undefined {
  // Releases before checksums stored the number alone.
  const time = value.length === UNSEALED_BYTES ? value : checkedContent(key, value);
  if (time?.length !== UNSEALED_BYTES) return undefined;
  return { tokenId: key.slice(PREFIX.length), at: time.readDoubleLE() };
}

/** When each token was last let in. Kept in memory and written behind, so that a restart forgets at most a minute. */
export class LastUse {
  readonly #level: LevelDbStore;
  readonly #now: () => number;
  readonly #times = new Map<string, number>();
  readonly #dirty = new Set<string>();
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
  ): Promise<LastUse> {
    const lastUse = new LastUse(level, now);
    for await (const [key, value] of level.entries(PREFIX)) {
      const use = storedLastUse(key, value);
      if (use) {
        lastUse.#times.set(use.tokenId, use.at);
        continue;
      }
      corrupt(key);
      level.append({ type: 'del', key });
    }
    return lastUse;
  }

  /** Milliseconds since the Unix epoch; 0 where it never was. */
  at(tokenId: string): number {
    return this.#times.get(tokenId) ?? 0;
  }

  note(tokenId: string): void {
    const now = this.#now();
    // Either way, for a clock may have been wrong for a while.
    if (Math.abs(now - this.at(tokenId)) < RESOLUTION_MS) return;
    this.#times.set(tokenId, now);
    this.#dirty.add(tokenId);
  }

  /** Every time there is. */
  times(): IterableIterator<[tokenId: string, at: number]> {
    return this.#times.entries();
  }

  /** Hands what was noted to the store. */
  flush(): void {
    for (const tokenId of this.#dirty) {
      // While no writes are taken it stays to be written.
      if (!this.#level.append({ type: 'put', ...lastUseEntry(tokenId, this.at(tokenId)) })) return;
      this.#dirty.delete(tokenId);
    }
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
