import type { Now } from '../../runtime/clock.ts';
import { exitStatus, type ReadyMessage } from '../../runtime/lifecycle.ts';
import type { Child, ChildEnd } from './child-process.ts';

const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;
/**
 * Minimum time for which a process must be ready to count as healthy, ms. If a healthy process ends, it is started
 * again after the shortest pause. If a process ends before it is healthy, the next pause is twice as long, up to
 * LAST_BACKOFF_MS.
 */
const HEALTHY_MS = 2_000;
/**
 * Longest time for a child process to drain, in milliseconds. After that time the supervisor kills the child. This time
 * is longer than the 10 s after which a child ends itself.
 */
const DRAIN_MS = 15_000;

/** Options of a `Supervisor`, which keeps one process running. */
export interface SupervisorOptions {
  name: string;
  /**
   * Starts the process. `pinned`: the addresses on which the process listened before, and must listen again. Empty if
   * the process was never ready.
   */
  start: (pinned: Readonly<Record<string, string>>) => Child;
  now: Now;
  /** Calls `callback` after `ms` milliseconds. Returns a function that cancels the call. */
  after: (ms: number, callback: () => void) => () => void;
  /** Called when the process has ended unexpectedly. `pauseMs` is the time until the next start, in milliseconds. */
  onRestart: (name: string, end: ChildEnd, pauseMs: number) => void;
}

/**
 * The error for a child process that exited before it was ready. The process is not restarted, because it would fail
 * again. It has printed the reason to stderr.
 */
export class StartError extends Error {
  override name = 'StartError';
  /** The exit status that the launcher should return. */
  readonly status: number;

  constructor(name: string, status: number) {
    super(`${name} did not start (exit ${status})`);
    // A process that exits before it is ready has failed. Therefore exit status 1 replaces 0, which means success.
    this.status = status === exitStatus.ok ? exitStatus.failed : status;
  }
}

/** Keeps a process running: restarts it with backoff each time it ends, until `stop` or `kill` is called. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  #child: Child | undefined;
  #pinned: Readonly<Record<string, string>> | undefined;
  #stopping = false;
  #backoffMs = FIRST_BACKOFF_MS;
  #cancelRestart: () => void = () => {};
  #onFirstReady: (message: ReadyMessage) => void = () => {};
  #onGivenUp: (error: StartError) => void = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /**
   * Starts the process. Resolves when the process is ready for the first time. Rejects with StartError if the process
   * exits by itself before that. If a signal kills it before that, the process is started again, and the promise stays
   * pending.
   */
  start(): Promise<ReadyMessage> {
    return new Promise((resolve, reject) => {
      this.#onFirstReady = resolve;
      this.#onGivenUp = reject;
      this.#run();
    });
  }

  /**
   * Ends the process: sends SIGTERM, and SIGKILL after DRAIN_MS. Resolves to false if a process that was ready has an
   * exit status other than 0.
   */
  async stop(): Promise<boolean> {
    this.#stopping = true;
    this.#cancelRestart();
    const child = this.#child;
    if (!child) return true;
    child.kill('SIGTERM');
    const cancel = this.#options.after(DRAIN_MS, () => child.kill('SIGKILL'));
    const { status } = await child.ended;
    cancel();
    return status === exitStatus.ok || this.#pinned === undefined;
  }

  /** Kills the process immediately and does not restart it. */
  kill(): void {
    this.#stopping = true;
    this.#cancelRestart();
    this.#child?.kill('SIGKILL');
  }

  #run(): void {
    const child = this.#options.start(this.#pinned ?? {});
    let readyAt: number | undefined;
    this.#child = child;
    child.ready.then(message => {
      readyAt = this.#options.now();
      this.#pinned ??= message.addresses;
      this.#onFirstReady(message);
    });
    child.ended.then(end => {
      this.#child = undefined;
      if (!this.#stopping) this.#ended(end, readyAt);
    });
  }

  #ended(end: ChildEnd, readyAt: number | undefined): void {
    const { name, now, after, onRestart } = this.#options;
    if (this.#pinned === undefined && end.status !== null) {
      this.#stopping = true;
      this.#onGivenUp(new StartError(name, end.status));
      return;
    }
    if (readyAt !== undefined && now() - readyAt >= HEALTHY_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    const pauseMs = this.#backoffMs;
    this.#backoffMs = Math.min(this.#backoffMs * 2, LAST_BACKOFF_MS);
    onRestart(name, end, pauseMs);
    this.#cancelRestart = after(pauseMs, () => this.#run());
  }
}
