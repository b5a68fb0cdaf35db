import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../proto/service-error.ts';
import { type Transition, VISIBLE } from '../feed/transition.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { ChangeBatch } from './change-batch.ts';
import { IndexThread, ThreadEnded } from './index-thread.ts';
import type { GameCount, SearchPage, SearchQuery, SummaryQuery } from './search-query.ts';

/**
 * Maximum time that the change of a server waits before it is sent to the thread of the search index, ms. Before a
 * query, all waiting changes are sent.
 */
const FLUSH_MS = 100;
/** When a batch of server changes has this size (bytes), it is sent to the thread of the search index immediately. */
const FULL_BYTES = 256 * 1024;
/**
 * Maximum size of the changes that the thread of the search index has received but not applied yet, in bytes. Above
 * this size, further changes wait in the main thread.
 */
const MOST_UNAPPLIED = 4 * 1024 * 1024;
/**
 * Maximum size in bytes of the changes of servers that wait to be sent to the thread of the search index. Above this
 * size, gsq drops all waiting changes, and fills the index again from the store.
 */
const MOST_WAITING = 32 * 1024 * 1024;
/**
 * Maximum size in bytes of the changes that wait for the search index while buckets of servers are loaded or unloaded.
 * Above this size, the loading pauses until the index has applied changes. The changes of about 40,000 servers have
 * this size.
 */
const MOST_LOADED = 8 * 1024 * 1024;
/** Maximum number of search queries that wait for an answer. A query takes up to 100 ms. */
const MOST_QUERIES = 32;
/**
 * While the search index is filled, this number of servers is encoded in one turn of the event loop. Their encoding
 * takes about 2 ms.
 */
const FILLED_A_TURN = 500;
/**
 * Pause between the end of a thread of the search index and the start of the next one, ms. If a thread ends before its
 * index is filled, the next pause is twice as long.
 */
const PAUSE_MS = { first: 100, longest: 60_000 };

const TEXTS = VISIBLE.name | VISIBLE.map | VISIBLE.version;

export interface SearchIndexOptions {
  /**
   * Returns an iterator over the records of all tracked servers. Servers can change during the iteration, and a record
   * is valid only until the next change. Therefore the search index copies each record before it takes the next one.
   */
  records: () => Iterable<ServerRecord>;
  /** Returns the number of tracked servers. */
  count: () => number;
  /**
   * Called with the cause if the thread of the search index fails, or if the index cannot be filled. The search index
   * then starts a new thread.
   */
  onFailure: (cause: string) => void;
}

/** Searches and counts the servers of one core. `SearchIndex` implements this interface. */
export type ServerSearch = Pick<SearchIndex, 'search' | 'count'>;

/**
 * Index of all tracked servers for searches and summaries, in a worker thread. The index is filled from the store, and
 * then updated from the change feed. If the thread fails or falls far behind, a new thread starts.
 */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #batch = new ChangeBatch();
  #thread: IndexThread;
  #flushTimer: NodeJS.Timeout | undefined;
  #filled = false;
  #closed = false;
  #pauseMs = PAUSE_MS.first;
  /** Functions that are called when the thread of the search index has applied a batch of changes, or has ended. */
  #waiters: (() => void)[] = [];

  /** Starts the thread of the search index, and begins to fill the index. */
  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.#thread = this.#start();
  }

  /** True if the search index contains all tracked servers. */
  get isFilled(): boolean {
    return this.#filled;
  }

  /** Adds a change of a server to the batch that is sent to the search index next. This takes about 1 µs. */
  addChange({ fields, before, after }: Transition): void {
    if (this.#closed) return;
    if (!after) {
      if (before) this.#batch.addRemoval(before);
    } else if (!before || (fields & TEXTS) !== 0) this.#batch.addServer(after);
    else this.#batch.addFacts(after);
    this.#flushSoon();
  }

  /**
   * Adds the servers of a bucket that this core acquired. If the search thread is behind, returns a promise that
   * resolves when the thread can accept more servers.
   */
  addLoaded(servers: Iterable<ServerRecord>): Promise<void> | undefined {
    if (this.#closed) return undefined;
    for (const server of servers) this.#batch.addServer(server);
    return this.#flushLoaded();
  }

  /**
   * Removes the servers of a bucket that this core gives to another core. If the search thread is behind, returns a
   * promise that resolves when the thread can accept more changes.
   */
  removeUnloaded(servers: Iterable<ServerRecord>): Promise<void> | undefined {
    if (this.#closed) return undefined;
    for (const server of servers) this.#batch.addRemoval(server);
    return this.#flushLoaded();
  }

  /**
   * Resolves when all waiting changes are sent to the search thread, so that the next query sees them. Until the index
   * is filled, resolves at once, because queries are refused then.
   */
  async sentAll(): Promise<void> {
    while (this.#filled && !this.#closed) {
      this.#flush();
      if (this.#batch.bytes === 0) return;
      await this.#applied();
    }
  }

  #flushLoaded(): Promise<void> | undefined {
    this.#flushSoon();
    return this.#batch.bytes > MOST_LOADED && !this.#thread.isOver ? this.#applied() : undefined;
  }

  #flushSoon(): void {
    if (this.#batch.bytes >= FULL_BYTES) this.#flush();
    else this.#flushTimer ??= setTimeout(() => this.#flush(), FLUSH_MS).unref();
  }

  /**
   * Searches the tracked servers. Rejects with ServiceError CORE_1 if the index is not filled yet, or if too many
   * queries wait.
   */
  search(query: SearchQuery): Promise<SearchPage> {
    return this.#ask(thread => thread.search(query));
  }

  /** Counts the tracked servers by game. Rejects with ServiceError CORE_1 in the same cases as `search`. */
  count(query: SummaryQuery): Promise<GameCount[]> {
    return this.#ask(thread => thread.count(query));
  }

  /** Stops the thread of the search index. Rejects the search queries that have no answer yet. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#flushTimer);
    await this.#thread.stop();
    this.#wake();
  }

  async #ask<Answer>(query: (thread: IndexThread) => Promise<Answer>): Promise<Answer> {
    const thread = this.#thread;
    if (!this.#filled) throw unavailable('The search is still loading the tracked servers; try again.', 5);
    if (thread.inFlight >= MOST_QUERIES)
      throw unavailable(`${MOST_QUERIES} searches wait already; try again.`, 1);
    this.#flush();
    try {
      return await query(thread);
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      throw unavailable('The search had to start again; try again.', 5);
    }
  }

  /**
   * Sends the waiting changes of servers to the thread of the search index. If the thread is behind, the changes wait
   * until it has applied an earlier batch.
   */
  #flush(): void {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    const { bytes } = this.#batch;
    if (bytes === 0) return;
    if (this.#thread.unappliedBytes < MOST_UNAPPLIED) this.#thread.sendChanges(this.#batch);
    else if (bytes > MOST_WAITING) {
      this.#filled = false;
      this.#batch.clear();
      this.#options.onFailure('the search fell behind the changes of servers');
      void this.#thread.stop();
    }
  }

  #start(): IndexThread {
    const thread = new IndexThread(this.#options.count(), () => {
      this.#flush();
      this.#wake();
    });
    this.#filled = false;
    this.#batch.clear();
    thread.ended.then(cause => this.#restart(cause));
    this.#fill(thread).catch((error: unknown) => {
      if (!this.#closed) this.#options.onFailure(error instanceof Error ? error.message : String(error));
      void thread.stop();
    });
    return thread;
  }

  async #restart(cause: string): Promise<void> {
    if (this.#closed) return;
    this.#filled = false;
    this.#wake();
    this.#options.onFailure(`the thread of the search ended: ${cause}`);
    await sleep(this.#pauseMs, undefined, { ref: false });
    this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MS.longest);
    if (!this.#closed) this.#thread = this.#start();
  }

  /** Fills the search index of a new thread with all tracked servers. */
  async #fill(thread: IndexThread): Promise<void> {
    // Stored records and changes of servers go into the same batch, in the order of time. Therefore the index applies
    // the newest record of a server last.
    await nextTurn();
    let packed = 0;
    for (const record of this.#options.records()) {
      if (thread.isOver) return;
      this.#batch.addServer(record);
      if (++packed % FILLED_A_TURN > 0) continue;
      this.#flush();
      while (thread.unappliedBytes > FULL_BYTES && !thread.isOver) await this.#applied();
      await nextTurn();
    }
    this.#flush();
    while (this.#batch.bytes > 0 && !thread.isOver) await this.#applied();
    if (thread.isOver || thread !== this.#thread) return;
    this.#filled = true;
    this.#pauseMs = PAUSE_MS.first;
  }

  /** Waits until the thread of the search index has applied a batch of changes, or has ended. */
  #applied(): Promise<void> {
    return new Promise(resolve => {
      this.#waiters.push(resolve);
    });
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}

function unavailable(message: string, retryAfterSeconds: number): ServiceError {
  return new ServiceError('CORE_1', message, { retryAfterSeconds });
}
