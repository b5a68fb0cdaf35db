import type { ChangeFeed } from '../feed/change-feed.ts';

/** A reader that gets the changes of all servers and needs only some of them. The webhooks are such a reader. */
export interface WideReader {
  /** True if the reader needs the changes of this server. */
  follows(key: string, gameId: string): boolean;
  /** Keys of the single servers that the reader needs (`serverKey`). */
  followedKeys(): Iterable<string>;
  /** Ids of the games whose servers the reader needs. */
  followedGames(): Iterable<string>;
}

/** Which servers the readers of a change feed follow. */
export class FeedFollowers {
  readonly #feed: ChangeFeed;
  readonly #wide = new Set<WideReader>();

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** Adds a reader that has subscribed to all changes of the feed. Returns a function that removes it. */
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

  /** Keys of the servers that readers follow singly. */
  get keys(): Set<string> {
    return new Set(
      [this.#feed.followedKeys, ...[...this.#wide].map(each => each.followedKeys())].flatMap(each => [
        ...each,
      ]),
    );
  }

  /** Ids of the games of which readers follow all servers. */
  get games(): Set<string> {
    return new Set(
      [this.#feed.followedGames, ...[...this.#wide].map(each => each.followedGames())].flatMap(each => [
        ...each,
      ]),
    );
  }
}
