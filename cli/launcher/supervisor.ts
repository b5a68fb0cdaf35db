import type { Now } from '../../runtime/clock.ts';
import { exitStatus, type ReadyMessage } from '../../runtime/lifecycle.ts';
import type { Child, ChildEnd } from './child-process.ts';

const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;
/** Ready for this long counts as healthy: the next restart is quick again. */
const HEALTHY_MS = 2_000;
/** A child that does not drain in this time is killed; it gives itself 10 s. */
const DRAIN_MS = 15_000;

export interface SupervisorOptions {
  name: string;
  /** Starts one run; told the addresses the first run bound, so that later ones bind the same. */
  start: (pinned: Readonly<Record<string, string>>) => Child;
  now: Now;
  /** Calls back after `ms`; returns what cancels it. */
  after: (ms: number, callback: () => void) => () => void;
  /** Told of every end that was not asked for, with the pause before the next start. */
  onRestart: (name: string, end: ChildEnd, pauseMs: number) => void;
}

/** A child gave up before it was ever ready: nothing a restart would mend. Its own message is on stderr. */
export class StartError extends Error {
  override name = 'StartError';
  /** What the launch ends with. */
  readonly status: number;

  constructor(name: string, status: number) {
    super(`${name} did not start (exit ${status})`);
    // A child that ends well without having been ready is no success of the launch.
    this.status = status === exitStatus.ok ? exitStatus.failed : status;
  }
}

/** Keeps one process running: starts it again when it dies, with a backoff, until it is told to stop. */
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
   * Resolves when the process is ready for the first time; call it once. Rejects with StartError where it gives up
   * by itself before that; one that is killed before that is started again like any other.
   */
  start(): Promise<ReadyMessage> {
    return new Promise((resolve, reject) => {
      this.#onFirstReady = resolve;
      this.#onGivenUp = reject;
      this.#run();
    });
  }

  /** Ends the child with SIGTERM, or at last with SIGKILL, and starts it no more. Resolves when it is gone. */
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

  /** Ends the child at once and starts it no more. */
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
