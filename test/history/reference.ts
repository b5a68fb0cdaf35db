import type { Figures } from '../../core/history/history-store.ts';
import type { Sample } from '../../core/history/sample.ts';

const FIRST_ROOM = 4_096;
/** Special values in `#players` for samples without a number of players. */
const OFFLINE = -1;
const UNKNOWN = -2;
const UNCOUNTED = -3;
const CODES = { online: UNCOUNTED, offline: OFFLINE, unknown: UNKNOWN };

type Sums = { -readonly [K in keyof Figures]: Figures[K] };

/**
 * Reference history of one server, for comparison with gsq's history. Computes each answer from all samples, which are
 * in typed arrays to save memory.
 */
export class ReferenceHistory {
  /** Time at which gsq began to track the server, Unix ms. */
  readonly insertedAt: number;
  #count = 0;
  /** Times of the samples in whole Unix seconds, as in gsq's history. */
  #at = new Uint32Array(FIRST_ROOM);
  #holdS = new Uint32Array(FIRST_ROOM);
  #players = new Int32Array(FIRST_ROOM);

  constructor(insertedAt: number) {
    this.insertedAt = insertedAt;
  }

  /** Number of samples of the server that this reference history contains. */
  get count(): number {
    return this.#count;
  }

  /** Time of the last sample of the server, Unix ms; 0 if there is no sample. */
  get lastAt(): number {
    return this.#count === 0 ? 0 : (this.#at[this.#count - 1] ?? 0) * 1_000;
  }

  /**
   * Adds samples of the server to this reference history, the oldest first. Throws an Error if a sample is not newer
   * than the sample before it.
   */
  add(samples: readonly Sample[]): void {
    for (const { at, state, players, holdMs } of samples) {
      if (at <= this.lastAt)
        throw new Error(`a sample of ${new Date(at).toISOString()} comes twice or too late`);
      if (this.#count === this.#at.length) this.#grow();
      this.#at[this.#count] = at / 1_000;
      this.#holdS[this.#count] = holdMs / 1_000;
      this.#players[this.#count] = state === 'online' && players !== undefined ? players : CODES[state];
      this.#count++;
    }
  }

  /** Keeps the oldest `count` samples of the server, and removes all newer samples. */
  truncate(count: number): void {
    this.#count = count;
  }

  /**
   * Returns the history figures of `count` consecutive periods. The first period begins at `from`. Each period lasts
   * `lengthMs` ms. Ignores the time after `now`. `from` and `now` are Unix ms.
   */
  spans(from: number, lengthMs: number, count: number, now: number): Figures[] {
    return Array.from({ length: count }, (_, i) =>
      this.#figures(from + i * lengthMs, from + (i + 1) * lengthMs, now),
    );
  }

  #figures(from: number, to: number, now: number): Figures {
    const sums: Sums = { from, to, knownMs: 0, onlineMs: 0, countedMs: 0, playerMs: 0, playersMax: 0 };
    // The loop begins with the last sample before `from`, because this sample can still be valid after `from`.
    for (let i = Math.max(this.#firstFrom(from) - 1, 0); i < this.#count; i++) {
      const at = (this.#at[i] ?? 0) * 1_000;
      if (at >= to) break;
      const next = i + 1 < this.#count ? (this.#at[i + 1] ?? 0) * 1_000 : now;
      const end = Math.min(next, at + (this.#holdS[i] ?? 0) * 1_000, to, now);
      const ms = end - Math.max(at, from);
      const players = this.#players[i] ?? UNKNOWN;
      if (ms <= 0 || players === UNKNOWN) continue;
      sums.knownMs += ms;
      if (players === OFFLINE) continue;
      sums.onlineMs += ms;
      if (players === UNCOUNTED) continue;
      sums.countedMs += ms;
      sums.playerMs += players * ms;
      sums.playersMax = Math.max(sums.playersMax, players);
    }
    return sums;
  }

  /** Returns the index of the first sample of the server that is not before the time `at`. */
  #firstFrom(at: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#at[middle] ?? 0) * 1_000 < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    const [at, holdS, players] = [this.#at, this.#holdS, this.#players];
    this.#at = new Uint32Array(2 * at.length);
    this.#holdS = new Uint32Array(2 * at.length);
    this.#players = new Int32Array(2 * at.length);
    this.#at.set(at);
    this.#holdS.set(holdS);
    this.#players.set(players);
  }
}
