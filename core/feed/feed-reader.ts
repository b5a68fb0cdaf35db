import type { ServerRecord } from '../servers/server-record.ts';
import type { ChangeFeed } from './change-feed.ts';

/** The fields of a server that decide which callers may see it in a stream of all servers of its game. */
type Visibility = Pick<ServerRecord, 'insertedBy' | 'isPublic'>;

/**
 * Reads the changes of some servers from a change feed, at its own speed. If a server changed several times since the
 * last read, the reader gets only the newest state.
 */
export interface FeedReader {
  /**
   * Position of the reader in the change feed: the sequence number of a change. The reader has taken all changes of its
   * servers up to this change.
   */
  readonly sequence: number;
  /** True if the reader was too slow: the feed no longer contains some changes that the reader has not taken yet. */
  readonly isLost: boolean;
  /** True if the reader must take its changes soon, because the feed will otherwise drop them. */
  readonly isLate: boolean;
  /**
   * True if the change feed has missed changes and cannot know which servers they changed. The reader must then begin
   * again with a snapshot (the records of all servers).
   */
  readonly mustRestart: boolean;
  /**
   * Takes the next changed server: the one whose last change is the oldest. Returns its `serverKey`, or undefined if no
   * server has changed.
   */
  takeChanged(): string | undefined;
  /** Ends the reader, which then gets no more changes of the feed. */
  close(): void;
}

/**
 * Reads the changes of certain servers, which the caller names by their keys. Needs little memory: at most one entry
 * for each of these servers.
 */
export class KeysReader implements FeedReader {
  readonly isLost = false;
  readonly isLate = false;
  readonly mustRestart = false;
  readonly #feed: ChangeFeed;
  /**
   * Changed servers that the reader has not taken yet. The key is the `serverKey`, and the value is the sequence number
   * of the server's last change. The server with the oldest change comes first.
   */
  readonly #pending: Map<string, number>;
  #taken: number;
  readonly close: () => void;

  /**
   * `since`: sequence number of a change that is still in the feed. The reader begins with the change after it. `wake`:
   * called when a followed server has a new change in the feed.
   */
  constructor(feed: ChangeFeed, keys: readonly string[], since: number, wake: () => void) {
    this.#feed = feed;
    this.#taken = since;
    const missed = keys.map((key): [string, number] => [key, feed.recent.lastOf(key)]);
    this.#pending = new Map(missed.filter(([, last]) => last > since).sort(([, a], [, b]) => a - b));
    this.close = feed.followKeys(keys, ({ key, sequence }) => {
      if (this.#pending.size === 0) this.#taken = sequence - 1;
      // Deletes the key before setting it again, so that the key moves to the end of the map.
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
 * Reads the changes of all servers of a game. Stores only a position in the change feed and no list of servers, because
 * a game can have many servers.
 */
export class GameReader implements FeedReader {
  readonly #feed: ChangeFeed;
  readonly #prefix: string;
  readonly #sees: (server: Visibility) => boolean;
  readonly close: () => void;
  /**
   * Sequence number of the last change in the feed that this reader has read. Used only while `#isBehind` is true.
   * While it is false, the reader has read all changes.
   */
  #position: number;
  /**
   * Sequence number of a change: when `#isBehind` became true, this reader had read all changes up to this one. 0 for a
   * reader that continues an earlier stream, because the number of the earlier reader is not known.
   */
  #since = 0;
  /** True if the change feed contains changes after `#position` that this reader has not checked yet. */
  #isBehind: boolean;
  #mustRestart = false;

  /**
   * - `sees`: returns true if the caller of the stream is allowed to see a server.
   * - `since`: sequence number of a change that is still in the feed. The reader begins with the change after it.
   * - `wake`: called when the feed has a new change of the game, or when `mustRestart` becomes true.
   */
  constructor(
    feed: ChangeFeed,
    gameId: string,
    sees: (server: Visibility) => boolean,
    since: number,
    wake: () => void,
  ) {
    this.#feed = feed;
    this.#prefix = `${gameId} `;
    this.#sees = sees;
    this.#position = since;
    this.#isBehind = since < feed.sequence;
    const unfollow = feed.followGame(gameId, ({ sequence }) => {
      if (!this.#isBehind) this.#since = this.#position = sequence - 1;
      this.#isBehind = true;
      wake();
    });
    const stopRestarts = feed.onRestart(() => {
      this.#mustRestart = true;
      wake();
    });
    this.close = () => {
      unfollow();
      stopRestarts();
    };
  }

  get mustRestart(): boolean {
    return this.#mustRestart;
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
      if (!change?.key.startsWith(this.#prefix)) continue;
      // A server that was public at any time since the last read counts as public. So callers who could see it learn
      // that it is now hidden or removed.
      const { key, insertedBy, lastPublic } = change;
      if (this.#sees({ insertedBy, isPublic: lastPublic > this.#since })) return key;
    }
    this.#isBehind = false;
    return undefined;
  }
}
