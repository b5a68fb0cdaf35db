import { ConfigError } from './config.ts';
import type { Logger } from './log.ts';

/** Exit statuses of all processes and commands. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  credentials: 4,
  unreachable: 5,
} as const;

/**
 * The message that a process sends over the IPC channel to its launcher (the process that started it) when it is
 * ready.
 */
export interface ReadyMessage {
  type: 'ready';
  /**
   * Addresses on which the process listens, keyed by the name of the setting. For example, GSQ_HTTP_ADDR has the value
   * `127.0.0.1:8080`.
   */
  addresses: Record<string, string>;
  /**
   * Values that the process sends to the launcher besides its addresses, keyed by name. For example, the demo sends the
   * list of its servers.
   */
  notes: Record<string, string>;
}

/** A running process: its addresses, and the function that ends it. */
export interface Running {
  addresses: Record<string, string>;
  notes?: Record<string, string>;
  /** Drains the process: accepts no more work, finishes the work in progress and frees all resources. */
  drain(): Promise<void>;
}

const DRAIN_LIMIT_MS = 10_000;
/**
 * Two signals within this time (ms) count as one. If a user presses Ctrl-C, the process gets two signals: one from the
 * terminal and one from npm.
 */
const SAME_SIGNAL_MS = 1_000;

/**
 * Runs a process. If `start` returns undefined, the process ends with status 0. On SIGTERM, on SIGINT, or when its
 * launcher ends, the process drains (finishes its work) and then ends. A ConfigError ends it with status 3, any other
 * error with status 1.
 */
export async function runProcess(
  logger: () => Logger,
  start: () => Promise<Running | undefined>,
): Promise<void> {
  const drain = new Drain(logger);
  const onSignal = (signal: NodeJS.Signals): void => drain.onSignal(signal);
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Logs an unexpected error as a JSON line. Without this handler, Node would print it as plain text between the JSON
  // lines of the log.
  process.on('uncaughtException', error => {
    logger().fatal({ err: error }, 'unexpected error, the process ends');
    process.exit(exitStatus.failed);
  });
  let running: Running | undefined;
  try {
    running = await start();
  } catch (error) {
    fail(error);
  }
  drain.running = running;
  if (!running) {
    process.exitCode = exitStatus.ok;
    // Closes the IPC channel to the launcher, because an open channel would keep the process alive.
    if (process.connected) process.disconnect();
    return;
  }
  if (process.send) {
    process.on('disconnect', () => drain.start('launcher gone'));
    if (!process.connected) {
      drain.start('launcher gone');
      return;
    }
    const ready: ReadyMessage = { type: 'ready', addresses: running.addresses, notes: running.notes ?? {} };
    process.send(ready);
  }
  logger().info({ addresses: running.addresses }, 'ready');
}

/**
 * Drains a running process: the process finishes its work in progress and then ends. Only the first call has an effect.
 */
class Drain {
  running: Running | undefined;
  readonly #logger: () => Logger;
  #startedAt: number | undefined;

  constructor(logger: () => Logger) {
    this.#logger = logger;
  }

  start(why: string): void {
    if (!this.running || this.#startedAt !== undefined) return;
    this.#startedAt = performance.now();
    this.#logger().info({ why }, 'draining');
    // Ends the process after DRAIN_LIMIT_MS in any case, because some peers never close their connections.
    setTimeout(() => {
      this.#logger().error({ limitMs: DRAIN_LIMIT_MS }, 'draining took too long, the process ends');
      process.exit(exitStatus.failed);
    }, DRAIN_LIMIT_MS).unref();
    this.running.drain().then(() => process.exit(exitStatus.ok), fail);
  }

  /**
   * The first signal starts draining. A second signal, at least one second later, ends the process immediately, even
   * while it drains. A signal before the process is ready ends it immediately too.
   */
  onSignal(signal: NodeJS.Signals): void {
    if (!this.running) {
      // A process that is not ready has no work to finish, so it ends immediately. It must call `process.exit`: in a
      // container it can have pid 1, and a process with pid 1 does not end by default when it gets SIGTERM.
      this.#logger().info({ why: signal }, 'signal before the process was ready, the process ends');
      process.exit(exitStatus.ok);
    } else if (this.#startedAt === undefined) {
      this.start(signal);
    } else if (performance.now() - this.#startedAt >= SAME_SIGNAL_MS) {
      this.#logger().warn({ why: signal }, 'second signal, the process ends immediately');
      process.exit(exitStatus.failed);
    }
  }
}

/** Ends the process and prints the error. The exit status depends on the kind of error. */
function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`gsq: ${error.message}\n`);
    process.exit(exitStatus.configuration);
  }
  process.stderr.write(`gsq: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(exitStatus.failed);
}
