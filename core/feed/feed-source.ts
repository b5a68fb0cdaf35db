import type { ServerChanges } from '../servers/server-changes.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { ServerStore } from '../servers/server-store.ts';
import type { ChangeFeed } from './change-feed.ts';

/**
 * The change feed that callers read, and the records of the servers in this feed. In a cluster, the feed contains the
 * changes of the servers of all cores.
 */
export interface FeedSource {
  readonly feed: ChangeFeed;
  /**
   * Prepares the change feed before a reader begins. Resolves when the feed contains the changes of all cores, or after
   * a short wait if a core does not answer. When the reader ends, the caller must call the returned function.
   */
  open(): Promise<() => void>;
  /**
   * Returns the record of a server, or undefined if the server is not tracked. The record is not older than the
   * server's last change in the feed. Rejects with ServiceError CORE_1 if the core that owns the server does not
   * answer.
   */
  recordOf(key: string): ServerRecord | undefined | Promise<ServerRecord | undefined>;
  /**
   * Resolves to a function that returns the record of a server by its key, which must be one of `keys`. Rejects with a
   * ServiceError (code CORE_1) if the core that owns one of the servers does not answer.
   */
  lookUp(keys: readonly string[]): Promise<(key: string) => ServerRecord | undefined>;
  /**
   * Yields the records of all servers whose key starts with `prefix`, sorted by key, in pages of at most `size`
   * records. Reads the records of a page when the caller asks for the page. Rejects with ServiceError CORE_1 if a core
   * does not answer.
   */
  pages(prefix: string, size: number): AsyncIterable<RecordPage>;
  /**
   * Returns an object with the method `follow`, which reports the record of a server after each probe, even without a
   * visible change. Only servers in `records` can be followed.
   */
  probesAfter(records: readonly ServerRecord[]): Pick<ServerChanges, 'follow'>;
}

/** One page of the server records that `FeedSource.pages` returns. The last page may be empty. */
export interface RecordPage {
  records: readonly ServerRecord[];
  isLast: boolean;
}

/** The change feed and the server records of a core that owns all servers, because it is not in a cluster. */
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

  async *pages(prefix: string, size: number): AsyncGenerator<RecordPage, undefined> {
    for (let after = ''; ; ) {
      const records = await this.#store.list(prefix, after, size);
      const isLast = records.length < size;
      yield { records, isLast };
      if (isLast) return;
      after = records.at(-1)?.key ?? after;
    }
  }

  probesAfter(): Pick<ServerChanges, 'follow'> {
    return this.#changes;
  }
}
