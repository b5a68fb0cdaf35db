import type { Now } from '../../runtime/clock.ts';
import { exitStatus, type ReadyMessage } from '../../runtime/lifecycle.ts';
import type { Child, ChildEnd } from './child-process.ts';

const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;
/** A process that was ready for this long, ms, counts as healthy, so its next restart is quick again. */
const HEALTHY_MS = 2_000;
/** A child that does not drain in this time, ms, is killed; its own limit is 10 s. */
const DRAIN_MS = 15_000;

export interface SupervisorOptions {
  name: string;
  /** Starts a run. `pinned` holds the addresses of the first run, so that later runs use them too. */
  start: (pinned: Readonly<Record<string, string>>) => Child;
  now: Now;
  /** Calls back after `ms`. Returns a function that cancels it. */
  after: (ms: number, callback: () => void) => () => void;
  /** Receives each unexpected end, and the pause before the next start. */
  onRestart: (name: string, end: ChildEnd, pauseMs: number) => void;
}

/**
 * The error for a child that gave up before it was ready, which a restart would not fix. Its own message is
 * on stderr.
 */
export class StartError extends Error {
  override name = 'StartError';
  /** The exit status of the launcher. */
  readonly status: number;

  constructor(name: string, status: number) {
    super(`${name} did not start (exit ${status})`);
    // A child that ends with 0 before it was ready still counts as failed.
    this.status = status === exitStatus.ok ? exitStatus.failed : status;
  }
}

/** Keeps a process running: restarts it with backoff until it is told to stop. */
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
   * Starts the process and resolves when it is ready for the first time. Rejects with StartError if the
   * process gives up before that; a process that is killed before that is restarted.
   */
  start(): Promise<ReadyMessage> {
    return new Promise((resolve, reject) => {
      this.#onFirstReady = resolve;
      this.#onGivenUp = reject;
      this.#run();
    });
  }

  /**
   * Ends the child with SIGTERM, after a limit with SIGKILL, and does not restart it. Resolves when it has
   * ended.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#cancelRestart();
    const child = this.#child;
    if (!child) return;
    child.kill('SIGTERM');
    const cancel = this.#options.after(DRAIN_MS, () => child.kill('SIGKILL'));
    await child.ended;
    cancel();
  }

  /** Kills the child at once and does not restart it. */
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
