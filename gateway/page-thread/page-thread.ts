import { Worker } from 'node:worker_threads';
import type { Logger } from '../../runtime/log.ts';
import { threadScript } from '../../runtime/thread-script.ts';
import type { Reply } from '../http/exchange.ts';
import type { PageName } from '../page/page-routes.ts';
import type { VisitFacts } from '../page/visit.ts';
import { coreAway, overloaded } from '../upstream/core-errors.ts';
import type { CoreSet } from '../upstream/core-set.ts';
import type { PageBudget, Spent } from './page-budget.ts';
import type { BuiltReply, CoresUpdate, PageMessage, PageRequest, PageSetup } from './thread-messages.ts';

/** Minimum time between two starts of the worker thread that builds pages and images, ms. */
const RESTART_MS = 1_000;
/** Maximum number of calls to the core that a page makes one after the other. */
const MOST_CALLS = 3;
/** Maximum time to build a page or an image, without the calls to the core, ms. An image takes about 30 ms. */
const BUILD_MS = 30_000;

interface Job {
  resolve(spent: Spent<Reply>): void;
  reject(error: Error): void;
  stopTimer(): void;
}

/** Options of a `PageThread` (the thread that builds the gateway's web pages). */
export interface PageThreadOptions {
  setup: PageSetup;
  budget: PageBudget;
  log: Logger;
  /**
   * All cores of the cluster, which the worker thread can call. If this option is absent, the worker thread calls only
   * one core: the core whose address is in `setup`.
   */
  cores?: CoreSet;
  /** A monotonic clock, ms. */
  now?: () => number;
  /** Calls a function after `ms` milliseconds. Returns a function that stops this timer. */
  after?: (ms: number, callback: () => void) => () => void;
  /** The TypeScript file that the worker thread runs to build pages and images. */
  script?: URL;
}

/**
 * Builds pages and images in a worker thread. If the main thread built them, it could not answer other requests during
 * this time. If the worker thread ends unexpectedly or does not reply in time, its requests fail, and a later request
 * starts a new thread.
 */
export class PageThread {
  readonly #options: PageThreadOptions;
  readonly #now: () => number;
  readonly #after: (ms: number, callback: () => void) => () => void;
  /** Time limit for a reply of the worker thread, ms. */
  readonly #limitMs: number;
  readonly #running = new Map<number, Job>();
  #worker: Worker | undefined;
  #startedAt = Number.NEGATIVE_INFINITY;
  #lastId = 0;
  #busy: Reply | undefined;

  constructor(options: PageThreadOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#after = options.after ?? later;
    this.#limitMs = MOST_CALLS * options.setup.timeoutMs + BUILD_MS;
    options.cores?.watch(() => this.#sendCores());
  }

  /** True if too many requests for pages and images wait, so that `build` would refuse a request. */
  get isFull(): boolean {
    return this.#options.budget.isFull;
  }

  /**
   * The page that a browser gets if its request is refused because too many requests wait. It is compressed with gzip.
   * Undefined until the worker thread for pages has started.
   */
  get busy(): Reply | undefined {
    return this.#busy;
  }

  /**
   * Builds the reply to a request. Builds nothing if `isGone` returns true (the caller closed its connection). Rejects
   * with `overloaded` if too many requests wait, with CORE_1 if the thread has ended or does not reply in time, or with
   * another Error.
   */
  build(name: PageName, facts: VisitFacts, isGone: () => boolean): Promise<Reply> {
    return this.#options.budget.run(() => (isGone() ? Promise.reject(coreAway()) : this.#ask(name, facts)));
  }

  /** Starts the worker thread that renders web pages, unless it is running. */
  start(): void {
    if (!this.#worker) this.#startWorker();
  }

  /** Ends the worker thread that builds pages and images. */
  async close(): Promise<void> {
    const worker = this.#worker;
    worker?.removeAllListeners('exit');
    await worker?.terminate();
  }

  #ask(name: PageName, facts: VisitFacts): Promise<Spent<Reply>> {
    if (!this.#worker && this.#now() - this.#startedAt < RESTART_MS) return Promise.reject(coreAway());
    this.start();
    const worker = this.#worker;
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      // Without this time limit, two requests without a reply would take all places of `PageBudget` forever.
      const stopTimer = this.#after(this.#limitMs, () =>
        this.#loseWorker(worker, `no reply to ${name} within ${this.#limitMs} ms`),
      );
      this.#running.set(id, { resolve, reject, stopTimer });
      worker?.postMessage({ id, name, facts } satisfies PageRequest);
    });
  }

  #startWorker(): void {
    this.#startedAt = this.#now();
    const { setup, script = new URL('./worker.ts', import.meta.url) } = this.#options;
    const worker = new Worker(threadScript(script), { execArgv: [], workerData: setup });
    // With `unref`, an idle page thread does not keep the process of the gateway running.
    worker.unref();
    this.#worker = worker;
    this.#sendCores();
    worker.on('message', (message: PageMessage) => this.#receive(message));
    let cause: unknown;
    worker.on('error', error => {
      cause = error;
    });
    worker.on('exit', code => this.#loseWorker(worker, cause ?? `exit code ${code}`));
  }

  #sendCores(): void {
    const { cores } = this.#options;
    if (cores) this.#worker?.postMessage({ cores: cores.states } satisfies CoresUpdate);
  }

  #receive(message: PageMessage): void {
    if (message.kind === 'suspect') {
      this.#options.cores?.suspectCore(message.address);
      return;
    }
    if (message.kind === 'ready') {
      this.#busy = replyOf(message.busy);
      return;
    }
    const job = this.#running.get(message.id);
    this.#running.delete(message.id);
    job?.stopTimer();
    if (message.kind === 'built') job?.resolve({ result: replyOf(message.reply), ms: message.busyMs });
    else job?.reject(message.kind === 'overloaded' ? overloaded : new Error(message.cause));
  }

  /**
   * Ends `worker`, and rejects all its requests. Does not wait until it has ended, because a thread that hangs in
   * native code never ends. Does nothing if `worker` was already replaced.
   */
  #loseWorker(worker: Worker | undefined, err: unknown): void {
    if (worker !== this.#worker) return;
    const { log } = this.#options;
    log.error({ err }, 'the thread that builds the pages has ended; a later request starts it again');
    this.#worker = undefined;
    void worker?.terminate();
    const jobs = [...this.#running.values()];
    this.#running.clear();
    for (const { reject, stopTimer } of jobs) {
      stopTimer();
      reject(coreAway());
    }
  }
}

function later(ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, ms).unref();
  return () => clearTimeout(timer);
}

function replyOf({ status, headers, body, isGzipped, isCompressed, code }: BuiltReply): Reply {
  return {
    status,
    headers,
    isCompressed,
    encoded: isGzipped,
    ...(body && { body: Buffer.from(body.buffer, body.byteOffset, body.length) }),
    ...(code !== undefined && { code }),
  };
}
