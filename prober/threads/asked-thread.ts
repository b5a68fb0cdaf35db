import { Worker } from 'node:worker_threads';
import { typescript } from '../../runtime/script.ts';
import type { Answer } from '../answers/answer.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';

/** What a thread may take beyond a question's own time before it counts as stuck. */
const GRACE_MS = 1500;
/** Loading a thread's modules takes a second or two. */
const START_MS = 30_000;
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

/** A question as a thread is sent it. */
export type Posted<Question> = Question & { kind: 'query'; id: number };

/** What a thread sends back: once that it has loaded, then an answer for each question, and notes between them. */
export type ThreadMessage<Note = never> =
  | { kind: 'ready' }
  | { kind: 'answer'; id: number; answer: Answer }
  | { kind: 'note'; note: Note };

export interface AskedThreadOptions<Note> {
  script: URL;
  wheel: TimerWheel;
  workerData: object;
  /** Largest heap of the thread. */
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
 * One worker thread, which reads what is hostile, and the questions it has been given. A thread that does not answer in
 * time is killed. Once it ends, for whatever reason, it stays ended.
 */
export class AskedThread<Question extends object, Note = never> {
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

  /** Questions that are not answered yet. */
  get inFlight(): number {
    return this.#pending.size;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves with the thread's answer, or with a fault if the thread ends before it gives one. */
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

  /** Sends what needs no answer, in order with the questions. */
  tell(message: object): void {
    if (!this.#isOver) this.#worker.postMessage(message);
  }

  /** Kills the thread; what it had not answered becomes a fault. */
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

  /** A question's time begins when the thread can have seen it. */
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

/** Why a thread failed, in words of ours: an error's own may repeat the secret of one server to all others. */
function failureOf(error: Error): string {
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? 'ran out of memory' : 'failed by an uncaught error';
}

/**
 * Node 20 does not apply a loader given by `--import` to a thread's own entry: a TypeScript worker needs a
 * JavaScript one in front that imports it.
 */
function bootstrap(script: URL): URL {
  const code = `import ${JSON.stringify(typescript)}; await import(${JSON.stringify(script.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
