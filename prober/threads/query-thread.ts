import { Worker } from 'node:worker_threads';
import { threadScript } from '../../runtime/thread-script.ts';
import type { Answer } from '../answers/answer.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';

/**
 * How long a worker thread can still answer a query after the timeout of the query, ms. A thread that has not answered
 * by then counts as stuck.
 */
const GRACE_MS = 1500;
/** Longest time for the start of a worker thread, ms. Loading its modules normally takes one or two seconds. */
const START_MS = 30_000;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** A query in the form in which a `QueryThread` sends it to its worker thread. */
export type Posted<Question> = Question & { kind: 'query'; id: number };

/**
 * A message from a worker thread to its `QueryThread`. The thread first sends `ready`, and then one answer for each
 * query. It can also send a `note`, which belongs to no query.
 */
export type ThreadMessage<Note = never> =
  | { kind: 'ready' }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'note'; note: Note };

export interface AskedThreadOptions<Note> {
  script: URL;
  wheel: TimerWheel;
  workerData: object;
  /** Maximum size of the old generation of the V8 heap of a query thread, MiB. */
  memoryMb: number;
  onNote?: (note: Note) => void;
}

interface Pending {
  id: number;
  timeoutMs: number;
  timer: WheelTimer | undefined;
  resolve: (answer: Answer) => void;
}

/**
 * A worker thread that answers queries. It is killed if it does not answer in time, because untrusted input can make it
 * hang. The owner must then create a new `QueryThread`.
 */
export class QueryThread<Question extends object, Note = never> {
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #wheel: TimerWheel;
  readonly #onNote: (note: Note) => void;
  readonly #pending = new Map<number, Pending>();
  readonly #startTimer: WheelTimer;
  #ready = false;
  #isOver = false;
  #lastId = 0;
  #end: (reason: string) => void = () => {};

  constructor({ script, wheel, workerData, memoryMb, onNote = () => {} }: AskedThreadOptions<Note>) {
    this.#wheel = wheel;
    this.#onNote = onNote;
    this.ended = new Promise(resolve => {
      this.#end = resolve;
    });
    this.#worker = new Worker(threadScript(script), {
      execArgv: [],
      resourceLimits: { ...RESOURCE_LIMITS, maxOldGenerationSizeMb: memoryMb },
      workerData,
    });
    this.#startTimer = wheel.after(START_MS, () => this.stop('did not start'));
    this.#worker.on('message', (message: ThreadMessage<Note>) => this.#receive(message));
    this.#worker.on('error', error => this.stop(failureOf(error)));
    this.#worker.on('exit', code => this.stop(`exited with code ${code}`));
  }

  /** Number of queries that this worker thread has not answered yet. */
  get inFlight(): number {
    return this.#pending.size;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Sends a query to the worker thread and resolves with its answer. If the thread ends first, the answer has the kind
   * `fault`, which does not count against the server. Never rejects.
   */
  ask(question: Question, timeoutMs: number): Promise<Answer> {
    if (this.#isOver) return Promise.resolve({ kind: 'fault', detail: 'the thread has ended' });
    const id = ++this.#lastId;
    return new Promise(resolve => {
      const pending: Pending = { id, timeoutMs, timer: undefined, resolve };
      this.#pending.set(id, pending);
      if (this.#ready) this.#watch(pending);
      this.#worker.postMessage({ ...question, kind: 'query', id } satisfies Posted<Question>);
    });
  }

  /**
   * Sends the worker thread a message that needs no answer. The thread receives messages and queries in the order in
   * which they were sent.
   */
  tell(message: object): void {
    if (!this.#isOver) this.#worker.postMessage(message);
  }

  /**
   * Kills the worker thread. All its open queries get an answer of kind `fault`, which does not count against the
   * server.
   */
  stop(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#startTimer.cancel();
    for (const { timer, resolve } of this.#pending.values()) {
      timer?.cancel();
      resolve({ kind: 'fault', detail: `the thread ${reason}` });
    }
    this.#pending.clear();
    this.#worker.terminate().then(() => this.#end(reason));
  }

  /**
   * Starts the timeout of a query. Called only after the worker thread has loaded its modules, because until then the
   * thread cannot answer.
   */
  #watch(pending: Pending): void {
    const { id, timeoutMs } = pending;
    pending.timer = this.#wheel.after(timeoutMs + GRACE_MS, () => this.stop(`was stuck at query ${id}`));
  }

  #receive(message: ThreadMessage<Note>): void {
    if (message.kind === 'note') {
      this.#onNote(message.note);
      return;
    }
    if (message.kind === 'ready') {
      this.#ready = true;
      this.#startTimer.cancel();
      for (const pending of this.#pending.values()) this.#watch(pending);
      return;
    }
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    this.#pending.delete(message.id);
    pending.timer?.cancel();
    pending.resolve(message.answer);
  }
}

/**
 * Describes why a worker thread failed. Uses a fixed text, because the message of the error can contain the secret of a
 * server.
 */
function failureOf(error: Error): string {
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? 'ran out of memory' : 'failed by an uncaught error';
}
