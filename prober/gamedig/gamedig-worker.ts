import { Worker } from 'node:worker_threads';
import type { TargetPolicy } from '../../proto/targets.ts';
import type { Answer, Endpoint } from '../transport/answer.ts';
import type { TimerWheel, WheelTimer } from '../transport/timer-wheel.ts';
import type { GamedigAccess } from './access.ts';
import type { GamedigMessage, GamedigQuery, GamedigTargets, GamedigWorkerData } from './messages.ts';

/** What a worker may take beyond a query's own time before it counts as stuck. */
const GRACE_MS = 1500;
/** Loading gamedig takes a second or two. */
const START_MS = 30_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };

interface Pending {
  query: GamedigQuery;
  timer: WheelTimer | undefined;
  resolve: (answer: Answer) => void;
}

/** One worker thread and the queries it has been given. Once it ends, for whatever reason, it stays ended. */
export class GamedigWorker {
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #wheel: TimerWheel;
  readonly #pending = new Map<number, Pending>();
  readonly #startTimer: WheelTimer;
  #ready = false;
  #isOver = false;
  /** By which it judges now. */
  #policy: TargetPolicy | undefined;
  #lastId = 0;
  #end: (reason: string) => void = () => {};

  constructor(script: URL, wheel: TimerWheel, workerData: GamedigWorkerData) {
    this.#wheel = wheel;
    this.ended = new Promise(resolve => {
      this.#end = resolve;
    });
    this.#worker = new Worker(bootstrap(script), {
      execArgv: [],
      resourceLimits: RESOURCE_LIMITS,
      workerData,
    });
    this.#startTimer = wheel.after(START_MS, () => this.stop('did not start'));
    this.#worker.on('message', (message: GamedigMessage) => this.#receive(message));
    this.#worker.on('error', error => this.stop(`failed: ${error.message}`));
    this.#worker.on('exit', code => this.stop(`exited with code ${code}`));
  }

  get inFlight(): number {
    return this.#pending.size;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves with the worker's answer, or with a fault when the worker ends before it gives one. */
  ask(
    game: string,
    endpoint: Endpoint,
    timeoutMs: number,
    policy?: TargetPolicy,
    access?: GamedigAccess,
  ): Promise<Answer> {
    if (this.#isOver) return Promise.resolve({ kind: 'fault', detail: 'the gamedig worker has ended' });
    if (policy && policy !== this.#policy) {
      this.#policy = policy;
      this.#worker.postMessage({ kind: 'targets', rules: policy.rules } satisfies GamedigTargets);
    }
    const query: GamedigQuery = { kind: 'query', id: ++this.#lastId, game, endpoint, timeoutMs, access };
    return new Promise(resolve => {
      const pending: Pending = { query, timer: undefined, resolve };
      this.#pending.set(query.id, pending);
      if (this.#ready) this.#watch(pending);
      this.#worker.postMessage(query);
    });
  }

  /** Kills the thread; what it had not answered becomes a fault. */
  stop(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#startTimer.cancel();
    for (const { timer, resolve } of this.#pending.values()) {
      timer?.cancel();
      resolve({ kind: 'fault', detail: `the gamedig worker ${reason}` });
    }
    this.#pending.clear();
    this.#worker.terminate().then(() => this.#end(reason));
  }

  /** A query's time begins when the worker can have seen it. */
  #watch(pending: Pending): void {
    const { id, timeoutMs } = pending.query;
    pending.timer = this.#wheel.after(timeoutMs + GRACE_MS, () => this.stop(`was stuck at query ${id}`));
  }

  #receive(message: GamedigMessage): void {
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
 * Node 20 does not apply a loader given by `--import` to a thread's own entry: a TypeScript worker needs a
 * JavaScript one in front that registers the loader.
 */
function bootstrap(script: URL): URL {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const code = `import { register } from ${loader}; register(); await import(${JSON.stringify(script.href)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
}
