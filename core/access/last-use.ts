import type { Level } from '../store/level.ts';

const PREFIX = 'u/';
const FLUSH_MS = 60_000;
/** Of more than one use within this time only the first is noted. */
const RESOLUTION_MS = 1_000;

/** When each token was last let in. Kept in memory and written behind, so that a restart forgets at most a minute. */
export class LastUse {
  readonly #level: Level;
  readonly #now: () => number;
  readonly #times = new Map<string, number>();
  readonly #dirty = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  private constructor(level: Level, now: () => number) {
    this.#level = level;
    this.#now = now;
    this.#timer = setInterval(() => this.flush(), FLUSH_MS).unref();
  }

  static async load(level: Level, now: () => number): Promise<LastUse> {
    const lastUse = new LastUse(level, now);
    for await (const [key, value] of level.entries(PREFIX)) {
      lastUse.#times.set(key.slice(PREFIX.length), value.readDoubleLE());
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

  /** Hands what was noted to the store. */
  flush(): void {
    for (const tokenId of this.#dirty) {
      const value = Buffer.alloc(8);
      value.writeDoubleLE(this.at(tokenId));
      this.#level.append({ type: 'put', key: PREFIX + tokenId, value });
    }
    this.#dirty.clear();
  }

  close(): void {
    clearInterval(this.#timer);
    this.flush();
  }
}
