import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { ChangeFeed } from './change-feed.ts';

/**
 * The change feed that callers read, and the records of its servers. In a cluster, this feed contains the servers of
 * all cores.
 */
export interface FeedSource {
  readonly feed: ChangeFeed;
  /**
   * Must be called before somebody begins to read the feed. Resolves when the feed contains the changes of all servers,
   * or after a short wait if a core does not answer. The returned function must be called when the reader has ended.
   */
  open(): Promise<() => void>;
  /**
   * Returns the record of a server, or undefined if the server is not tracked. The record contains at least the last
   * change of the server in the feed. Rejects with ServiceError CORE_1 if the core that has the record does not answer.
   */
  recordOf(key: string): ServerRecord | undefined | Promise<ServerRecord | undefined>;
  /**
   * Prepares to read the records of servers, and resolves to a function that returns the record of one of them. Rejects
   * like `recordOf`.
   */
  lookUp(keys: readonly string[]): Promise<(key: string) => ServerRecord | undefined>;
  /** Lists servers like `ServerStore.list`. Rejects like `recordOf`. */
  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]>;
  /**
   * Returns an object that passes on each new record of servers, even if nothing visible has changed. It can follow only
   * the servers of `records`, which the caller has read before.
   */
  probesAfter(records: readonly ServerRecord[]): Pick<ServerChanges, 'follow'>;
}

/** The change feed and the records of a core that has all servers. */
export class OwnFeedSource implements FeedSource {
  readonly feed: ChangeFeed;
  readonly #store: Pick<ServerStore, 'getMany' | 'list'>;
  readonly #changes: ServerChanges;

  constructor(feed: ChangeFeed, store: Pick<ServerStore, 'getMany' | 'list'>, changes: ServerChanges) {
    this.feed = feed;
    this.#store = store;
    this.#changes = changes;
  }

  open(): Promise<() => void> {
    return Promise.resolve(() => {});
  }

  recordOf(key: string): ServerRecord | undefined {
    return this.#store.getMany([key])[0];
  }

  lookUp(): Promise<(key: string) => ServerRecord | undefined> {
    return Promise.resolve(key => this.recordOf(key));
  }

  list(prefix: string, afterKey: string, limit: number): Promise<ServerRecord[]> {
    return this.#store.list(prefix, afterKey, limit);
  }

  probesAfter(): Pick<ServerChanges, 'follow'> {
    return this.#changes;
  }
}
