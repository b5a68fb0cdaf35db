import type { ChangeFeed } from './change-feed.ts';
import type { RecentChange } from './recent-changes.ts';

/**
 * Reads the changes of some servers from a feed, at its own speed. Gets each changed server once, however often the
 * server changed in the meantime. So a slow reader gets fewer changes, but always the newest state of each server.
 */
export interface FeedReader {
  /** All changes up to this number were taken, or are not changes of followed servers. */
  readonly sequence: number;
  /** True if the reader was so slow that the feed no longer knows all its changes. */
  readonly isLost: boolean;
  /** True if the reader must take changes soon, or else it gets lost. */
  readonly isLate: boolean;
  /** Takes the server whose last change is the oldest. Returns its `serverKey`, or undefined if there is no change. */
  takeChanged(): string | undefined;
  /** Ends the reading. */
  close(): void;
}

/**
 * Reads the changes of the servers with certain keys. Needs memory for at most one entry for each followed server.
 */
export class KeysReader implements FeedReader {
  readonly isLost = false;
  readonly isLate = false;
  readonly #feed: ChangeFeed;
  /** Numbers of the last changes that were not taken yet, the oldest first. Keyed by `serverKey`. */
  readonly #pending: Map<string, number>;
  #taken: number;
  readonly close: () => void;

  /**
   * `since`: number of a change that the feed still knows; the reader begins with the change after it. `wake` is called
   * when there is a new change.
   */
  constructor(feed: ChangeFeed, keys: readonly string[], since: number, wake: () => void) {
    this.#feed = feed;
    this.#taken = since;
    const missed = keys.map((key): [string, number] => [key, feed.recent.lastOf(key)]);
    this.#pending = new Map(missed.filter(([, last]) => last > since).sort(([, a], [, b]) => a - b));
    this.close = feed.followKeys(keys, ({ key, sequence }) => {
      if (this.#pending.size === 0) this.#taken = sequence - 1;
      // Deletes the key first, so that it moves to the end of the map.
      this.#pending.delete(key);
      this.#pending.set(key, sequence);
      wake();
    });
  }

  get sequence(): number {
    return this.#pending.size === 0 ? this.#feed.sequence : this.#taken;
  }

  takeChanged(): string | undefined {
    for (const [key, sequence] of this.#pending) {
      this.#pending.delete(key);
      this.#taken = sequence;
      return key;
    }
    return undefined;
  }
}

/**
 * Reads the changes of all servers of a game. A game can have many servers, so this reader remembers only its position
 * in the ring of the feed. If the ring moves past this position, the reader is lost.
 */
export class GameReader implements FeedReader {
  readonly #feed: ChangeFeed;
  readonly #prefix: string;
  readonly #sees: (change: RecentChange) => boolean;
  readonly close: () => void;
  /** All changes up to this number were read. It has no meaning if `#isBehind` is false. */
  #position: number;
  /** True if there are changes after `#position` that the reader must look at. */
  #isBehind: boolean;

  /**
   * `since` and `wake`: as in KeysReader. `sees`: returns true if the reader may see a change.
   */
  constructor(
    feed: ChangeFeed,
    gameId: string,
    sees: (change: RecentChange) => boolean,
    since: number,
    wake: () => void,
  ) {
    this.#feed = feed;
    this.#prefix = `${gameId} `;
    this.#sees = sees;
    this.#position = since;
    this.#isBehind = since < feed.sequence;
    this.close = feed.followGame(gameId, ({ sequence }) => {
      if (!this.#isBehind) this.#position = sequence - 1;
      this.#isBehind = true;
      wake();
    });
  }

  get sequence(): number {
    return this.#isBehind ? this.#position : this.#feed.sequence;
  }

  get isLost(): boolean {
    return this.#isBehind && !this.#feed.recent.hasAllAfter(this.#position);
  }

  get isLate(): boolean {
    return this.#isBehind && this.#feed.recent.isOld(this.#position);
  }

  takeChanged(): string | undefined {
    const { recent } = this.#feed;
    if (!this.#isBehind || this.isLost) return undefined;
    while (this.#position < recent.sequence) {
      const change = recent.newestAt(++this.#position);
      if (change?.key.startsWith(this.#prefix) && this.#sees(change)) return change.key;
    }
    this.#isBehind = false;
    return undefined;
  }
}
