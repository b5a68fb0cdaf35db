import { Worker } from 'node:worker_threads';
import { typescript } from '../../runtime/script.ts';
import type { Answer } from '../answers/answer.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';

/** Extra time for a thread to answer before it counts as stuck, ms. */
const GRACE_MS = 1500;
/** Loading the modules of a thread takes a second or two. */
const START_MS = 30_000;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** A question as it is sent to the thread. */
export type Posted<Question> = Question & { kind: 'query'; id: number };

/**
 * A message from the thread: first that it has loaded, then an answer for each question, with notes between
 * them.
 */
export type ThreadMessage<Note = never> =
  | { kind: 'ready' }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'note'; note: Note };

export interface AskedThreadOptions<Note> {
  script: URL;
  wheel: TimerWheel;
  workerData: object;
  /** Largest heap of the thread, MiB. */
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
 * A worker thread that reads hostile input, and the questions given to it. A thread that does not answer in
 * time is killed, and is not started again.
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
    this.#worker = new Worker(bootstrap(script), {
      execArgv: [],
      resourceLimits: { ...RESOURCE_LIMITS, maxOldGenerationSizeMb: memoryMb },
      workerData,
    });
    this.#startTimer = wheel.after(START_MS, () => this.stop('did not start'));
    this.#worker.on('message', (message: ThreadMessage<Note>) => this.#receive(message));
    this.#worker.on('error', error => this.stop(failureOf(error)));
    this.#worker.on('exit', code => this.stop(`exited with code ${code}`));
  }

  /** Number of questions without an answer. */
  get inFlight(): number {
    return this.#pending.size;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves with the thread's answer, or with a fault if the thread ends first. */
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

  /** Sends a message that needs no answer, in order with the questions. */
  tell(message: object): void {
    if (!this.#isOver) this.#worker.postMessage(message);
  }

  /** Kills the thread. Unanswered questions become faults. */
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

  /** Starts the timeout of a question when the thread can have received it. */
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
 * Describes why a thread failed, in words of ours: the error's own message may hold the secret of one server.
 */
function failureOf(error: Error): string {
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? 'ran out of memory' : 'failed by an uncaught error';
}

/**
 * Makes a JavaScript entry that registers the TypeScript loader: Node 20 does not apply a loader given by
 * `--import` to the entry of a thread.
 */
function bootstrap(script: URL): URL {
  const code = `import ${JSON.stringify(typescript)}; await import(${JSON.stringify(script.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
