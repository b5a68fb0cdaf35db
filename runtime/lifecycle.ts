import { ConfigError } from './config.ts';
import type { Logger } from './log.ts';

/** Exit statuses every process and command shares. */
export const exitStatus = {
  ok: 0,
  failed: 1,
  usage: 2,
  configuration: 3,
  credentials: 4,
  unreachable: 5,
} as const;

/** What a process tells its launcher, over the IPC channel a launcher opens. */
export interface ReadyMessage {
  type: 'ready';
  /** Setting name -> address as bound, such as GSQ_HTTP_ADDR -> 127.0.0.1:8080. */
  addresses: Record<string, string>;
  /** What else the launcher should know, such as a token made at first start. */
  notes: Record<string, string>;
}

/** A running process: what it listens on, and how to end it. */
export interface Running {
  addresses: Record<string, string>;
  notes?: Record<string, string>;
  /** Stops taking work, finishes what is in flight, frees everything. */
  drain(): Promise<void>;
}

const DRAIN_LIMIT_MS = 10_000;
/** A signal so soon after the first is the same wish: npm forwards what a terminal sends to all. */
const SAME_WISH_MS = 1_000;

/**
 * Starts a process, tells who asked that it is ready, and drains it on SIGTERM, SIGINT or when its launcher is
 * gone; a second signal, or one before it is ready, ends it at once. A ConfigError ends the process with status 3 and its
 * message; anything else unforeseen with status 1. Where `start` did all there is to do and nothing runs, it ends with 0.
 */
export async function runProcess(
  logger: () => Logger,
  start: () => Promise<Running | undefined>,
): Promise<void> {
  let running: Running | undefined;
  let endingSince: number | undefined;
  const end = (why: string): void => {
    if (!running || endingSince !== undefined) return;
    endingSince = performance.now();
    logger().info({ why }, 'draining');
    // The limit is the last resort against a peer that never lets go.
    setTimeout(() => {
      logger().error({ limitMs: DRAIN_LIMIT_MS }, 'not drained in time, ending');
      process.exit(exitStatus.failed);
    }, DRAIN_LIMIT_MS).unref();
    running.drain().then(() => process.exit(exitStatus.ok), fail);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!running) {
      // Nothing was promised to anybody yet, and what is on disk bears a kill. As process 1 of a container nothing but
      // this handler would end it.
      logger().info({ why: signal }, 'ending before the start was over');
      process.exit(exitStatus.ok);
    } else if (endingSince === undefined) {
      end(signal);
    } else if (performance.now() - endingSince >= SAME_WISH_MS) {
      logger().warn({ why: signal }, 'asked again, ending at once');
      process.exit(exitStatus.failed);
    }
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Otherwise it would be told as text among the lines of the log.
  process.on('uncaughtException', error => {
    logger().fatal({ err: error }, 'unforeseen, ending');
    process.exit(exitStatus.failed);
  });
  try {
    running = await start();
  } catch (error) {
    fail(error);
  }
  if (!running) {
    process.exitCode = exitStatus.ok;
    // A launcher's channel would keep it alive.
    if (process.connected) process.disconnect();
    return;
  }
  if (process.send) {
    process.on('disconnect', () => end('launcher gone'));
    if (!process.connected) {
      end('launcher gone');
      return;
    }
    const ready: ReadyMessage = { type: 'ready', addresses: running.addresses, notes: running.notes ?? {} };
    process.send(ready);
  }
  logger().info({ addresses: running.addresses }, 'ready');
}

function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(`gsq: ${error.message}\n`);
    process.exit(exitStatus.configuration);
  }
  process.stderr.write(`gsq: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(exitStatus.failed);
}
