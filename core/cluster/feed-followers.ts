import type { ChangeFeed } from '../feed/change-feed.ts';

/**
 * A reader that receives the changes of all servers, although it needs only some of them. The webhooks read changes in
 * this way.
 */
export interface WideReader {
  /** True if this reader needs the changes of the server with this key and game. */
  follows(key: string, gameId: string): boolean;
  /**
   * Keys (`serverKey`) of the servers that this reader follows individually. The reader can also follow a whole game.
   * For such a game, this method returns no keys, but `followedGames` returns its id.
   */
  followedKeys(): Iterable<string>;
  /** Ids of the games for which this reader (for example, the webhooks) needs the changes of all servers. */
  followedGames(): Iterable<string>;
}

/** Records which servers the readers of a change feed follow. */
export class FeedFollowers {
  readonly #feed: ChangeFeed;
  readonly #wide = new Set<WideReader>();

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** Adds a reader that has subscribed to all changes of the feed. Returns a function that removes the reader. */
  add(reader: WideReader): () => void {
    this.#wide.add(reader);
    return () => this.#wide.delete(reader);
  }

  /** True if a reader follows this server. */
  follows(key: string, gameId: string): boolean {
    if (this.#feed.isFollowed(key, gameId)) return true;
    for (const reader of this.#wide) if (reader.follows(key, gameId)) return true;
    return false;
  }

  /**
   * Keys of all servers that readers follow individually. A reader can also follow a whole game. For such a game, this
   * set contains no keys, but `games` contains its id.
   */
  get keys(): Set<string> {
    return new Set(
      [this.#feed.followedKeys, ...[...this.#wide].map(each => each.followedKeys())].flatMap(each => [
        ...each,
      ]),
    );
  }

  /** Ids of the games for which readers follow all servers. */
  get games(): Set<string> {
    return new Set(
      [this.#feed.followedGames, ...[...this.#wide].map(each => each.followedGames())].flatMap(each => [
        ...each,
      ]),
    );
  }
}
