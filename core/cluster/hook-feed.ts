import type { Transition } from '../feed/transition.ts';
import { serverKey } from '../servers/server-record.ts';
import type { ReadRecord } from '../webhooks/server-snapshot.ts';
import type { ClusterFeed } from './cluster-feed.ts';
import type { WideReader } from './feed-followers.ts';
import type { Later } from './later.ts';

/** Time between two checks whether any webhook exists, ms. Changes are received only while one exists. */
const CHECK_MS = 1_000;
/** Maximum number of server records that one call reads from the cores. */
const PAGE_SIZE = 500;
/**
 * Maximum number of servers whose records wait to be read. If the queue is full, `recordOf` does not add a server to
 * it.
 */
const MAX_WANTED = 10_000;

/**
 * The part of the webhooks that `HookFeed` uses. `note` is called with each change of a server. `webhooks` says which
 * servers the webhooks follow, and how many webhooks exist (`size`).
 */
export interface HookReaders {
  readonly note: (transition: Transition) => void;
  readonly webhooks: WideReader & { readonly size: number };
}

/**
 * Passes each change of a server to the webhooks, even if another core owns the server. Receives changes only while
 * there are webhooks.
 */
export class HookFeed {
  readonly #feed: ClusterFeed;
  readonly #later: Later;
  #hooks: HookReaders | undefined;
  /** Keys of the servers whose records must still be read for the webhooks. */
  readonly #wanted = new Set<string>();
  #isReading = false;
  /** The running attempt to receive the changes of servers from all cores. Undefined if no attempt is running. */
  #opening: Promise<void> | undefined;
  #isClosed = false;
  #stopFollowing: (() => void) | undefined;
  #cancelCheck: (() => void) | undefined;

  constructor(feed: ClusterFeed, later: Later) {
    this.#feed = feed;
    this.#later = later;
  }

  /**
   * Begins to pass the changes of servers to the webhooks. If there is no webhook yet, begins when the first webhook
   * exists.
   */
  start(hooks: HookReaders): void {
    this.#hooks = hooks;
    void this.#check();
  }

  /**
   * Begins to pass the changes of all cores to the webhooks. Does nothing if this has already begun. Resolves when the
   * webhooks receive the changes of all cores. If a core does not answer, resolves after a limited time.
   */
  async follow(): Promise<void> {
    if (this.#isClosed || !this.#hooks || this.#stopFollowing) return;
    const { webhooks, note } = this.#hooks;
    this.#opening ??= this.#follow(webhooks, note).finally(() => {
      this.#opening = undefined;
    });
    await this.#opening;
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelCheck?.();
    this.#stopFollowing?.();
    this.#stopFollowing = undefined;
  }

  /**
   * Returns the record of a server, or `unread` if the record must be read first. If the result is `unread`, begins to
   * read the record, so that a later call returns it.
   */
  recordOf(key: string): ReadRecord {
    const record = this.#feed.newestOf(key);
    if (record === 'unread' && this.#wanted.size < MAX_WANTED) {
      this.#wanted.add(key);
      void this.#readWanted();
    }
    return record;
  }

  async #check(): Promise<void> {
    if (this.#isClosed || !this.#hooks) return;
    this.#cancelCheck = this.#later(CHECK_MS, () => void this.#check());
    if (this.#opening) return;
    if (this.#hooks.webhooks.size > 0) {
      await this.follow();
    } else {
      this.#stopFollowing?.();
      this.#stopFollowing = undefined;
    }
  }

  async #follow(webhooks: WideReader, note: HookReaders['note']): Promise<void> {
    const closeFeed = await this.#feed.open();
    const stops = [this.#feed.feed.subscribe(note), this.#feed.addWideReader(webhooks)];
    this.#stopFollowing = () => {
      for (const stop of stops) stop();
      closeFeed();
    };
    if (this.#isClosed) this.close();
    else await this.#readFollowed(webhooks);
  }

  /**
   * Reads the records of the servers that the webhooks follow. `ClusterFeed` remembers these records. If `ClusterFeed`
   * later misses changes, it compares the remembered records with newer ones, and so finds the changes.
   */
  async #readFollowed(webhooks: WideReader): Promise<void> {
    const keys = [...webhooks.followedKeys()];
    try {
      for (let at = 0; at < keys.length; at += PAGE_SIZE)
        await this.#feed.lookUp(keys.slice(at, at + PAGE_SIZE));
      for (const gameId of [...webhooks.followedGames()]) {
        for await (const { isLast } of this.#feed.pages(serverKey(gameId, ''), PAGE_SIZE))
          if (isLast || this.#isClosed) break;
      }
    } catch {
      // A core did not answer, so the records of its servers stay unknown. The webhooks can miss the next change of
      // such a server.
    }
  }

  async #readWanted(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    // Waits for the end of this turn of the event loop. All servers requested in this turn are then read together.
    await new Promise(setImmediate);
    while (this.#wanted.size > 0 && !this.#isClosed) {
      const keys = [...this.#wanted].slice(0, PAGE_SIZE);
      try {
        await this.#feed.lookUp(keys);
      } catch {
        // Reading these server records has failed. The next call of `recordOf` for one of these servers tries again.
      }
      for (const key of keys) this.#wanted.delete(key);
    }
    this.#isReading = false;
  }
}
