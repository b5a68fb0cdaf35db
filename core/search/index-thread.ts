import { Worker } from 'node:worker_threads';
import { threadScript } from '../../runtime/thread-script.ts';
import type { GameCount, SearchPage, SearchQuery, SummaryQuery } from './search-query.ts';
import type { IndexReply, IndexRequest } from './thread-messages.ts';

type Answer = SearchPage | GameCount[];

interface Pending {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** Error of a query to the search index whose thread ended before it answered. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded';
}

/**
 * A worker thread with a search index that is empty at first. A thread that has ended is not restarted: its owner
 * creates a new `IndexThread`.
 */
export class IndexThread {
  /** Resolves when the thread has ended, to a text that says why. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #onApplied: () => void;
  readonly #pending = new Map<number, Pending>();
  #unappliedBytes = 0;
  #lastId = 0;
  #isOver = false;

  /** `onApplied`: called when the thread has applied a batch of changes. */
  constructor(onApplied: () => void) {
    this.#onApplied = onApplied;
    this.#worker = new Worker(threadScript(new URL('./worker.ts', import.meta.url)), { execArgv: [] });
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

  /** True if the thread has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Number of queries that the thread has not answered yet. */
  get inFlight(): number {
    return this.#pending.size;
  }

  /** Size of the changes that the thread has not applied yet, in bytes. */
  get unappliedBytes(): number {
    return this.#unappliedBytes;
  }

  /** Sends packed changes of servers (`ChangeBatch`) to the thread. */
  sendChanges(batch: Uint8Array<ArrayBuffer>): void {
    if (this.#isOver) return;
    this.#unappliedBytes += batch.length;
    this.#worker.postMessage({ kind: 'changes', batch } satisfies IndexRequest, [batch.buffer]);
  }

  /** Sends a query to the thread. Rejects with ThreadEnded if the thread ends before it answers. */
  search(query: SearchQuery): Promise<SearchPage> {
    return this.#ask(id => ({ kind: 'search', id, query })) as Promise<SearchPage>;
  }

  /** Sends a query to the thread. Rejects with ThreadEnded if the thread ends before it answers. */
  count(query: SummaryQuery): Promise<GameCount[]> {
    return this.#ask(id => ({ kind: 'count', id, query })) as Promise<GameCount[]>;
  }

  async stop(): Promise<void> {
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
      this.#unappliedBytes -= reply.bytes;
      this.#onApplied();
      return;
    }
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    pending?.resolve(reply.kind === 'found' ? reply.page : reply.games);
  }
}
