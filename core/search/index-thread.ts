import { Worker } from 'node:worker_threads';
import { threadScript } from '../../runtime/thread-script.ts';
import type { ChangeBatch } from './change-batch.ts';
import type { GameCount, SearchPage, SearchQuery, SummaryQuery } from './search-query.ts';
import type { IndexReply, IndexRequest, IndexSetup } from './thread-messages.ts';

/**
 * Size of a memory block for a batch of server changes, in bytes. The blocks are reused, and the arrays of the index
 * are allocated at full size. With 400,000 servers, both measures together avoid 20 MB of garbage.
 */
const BATCH_BYTES = 320 * 1024;
/** Maximum number of unused memory blocks that are kept for later batches of server changes. */
const MOST_SPARE = 4;

type Answer = SearchPage | GameCount[];

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Error of a query if the thread of the search index ended before it answered the query. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded';
}

/**
 * A worker thread with a search index that is empty at first. A thread that has ended is not restarted: its owner
 * creates a new `IndexThread`.
 */
export class IndexThread {
  /** Resolves when the search thread has ended. The value is a text that says why the thread ended. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #onApplied: () => void;
  readonly #pending = new Map<number, Pending>();
  /** Unused memory blocks for later batches of server changes. Each block has BATCH_BYTES bytes. */
  readonly #spare: ArrayBuffer[] = [];
  #unappliedBytes = 0;
  #lastId = 0;
  #isOver = false;

  /**
   * `servers`: expected number of servers. The thread allocates memory for them when it starts. `onApplied`: called
   * when the thread has applied a batch of changes.
   */
  constructor(servers: number, onApplied: () => void) {
    this.#onApplied = onApplied;
    const workerData: IndexSetup = { servers };
    this.#worker = new Worker(threadScript(new URL('./worker.ts', import.meta.url)), {
      execArgv: [],
      workerData,
    });
    this.#worker.unref();
    this.#worker.on('message', (reply: IndexReply) => this.#receive(reply));
    this.ended = new Promise(resolve => {
      const end = (cause: string): void => {
        this.#isOver = true;
        for (const { reject } of this.#pending.values()) reject(new ThreadEnded(cause));
        this.#pending.clear();
        resolve(cause);
      };
      this.#worker.on('error', error => end(error.message));
      this.#worker.on('exit', code => end(`exit code ${code}`));
    });
  }

  /** True if the thread of the search index has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Number of search queries that the search thread has not answered yet. */
  get inFlight(): number {
    return this.#pending.size;
  }

  /** Size of the server changes that the search thread has not applied to its index yet, in bytes. */
  get unappliedBytes(): number {
    return this.#unappliedBytes;
  }

  /** Sends the changes of a batch to the thread of the search index, and empties the batch. */
  sendChanges(changes: ChangeBatch): void {
    const { bytes } = changes;
    const memory = bytes > BATCH_BYTES ? undefined : (this.#spare.pop() ?? new ArrayBuffer(BATCH_BYTES));
    const batch = changes.takeBytes(memory);
    if (this.#isOver) return;
    this.#unappliedBytes += bytes;
    this.#worker.postMessage({ kind: 'changes', batch } satisfies IndexRequest, [batch.buffer]);
  }

  /** Sends a search to the thread of the search index. Rejects with ThreadEnded if the thread ends first. */
  search(query: SearchQuery): Promise<SearchPage> {
    return this.#ask(id => ({ kind: 'search', id, query })) as Promise<SearchPage>;
  }

  /**
   * Asks the thread of the search index to count servers. Rejects with ThreadEnded if the thread ends before it
   * answers.
   */
  count(query: SummaryQuery): Promise<GameCount[]> {
    return this.#ask(id => ({ kind: 'count', id, query })) as Promise<GameCount[]>;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#worker.terminate();
  }

  #ask(requestOf: (id: number) => IndexRequest): Promise<Answer> {
    if (this.#isOver) return Promise.reject(new ThreadEnded('the thread has ended'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#worker.postMessage(requestOf(id));
    });
  }

  #receive(reply: IndexReply): void {
    if (reply.kind === 'applied') {
      const { length, buffer } = reply.batch;
      this.#unappliedBytes -= length;
      if (buffer.byteLength === BATCH_BYTES && this.#spare.length < MOST_SPARE) this.#spare.push(buffer);
      this.#onApplied();
      return;
    }
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    pending?.resolve(reply.kind === 'found' ? reply.page : reply.games);
  }
}
