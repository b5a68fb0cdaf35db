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

/**
 * Starts a process, tells who asked that it is ready, and drains it on SIGTERM, SIGINT or when its launcher is
 * gone. A ConfigError ends the process with status 3 and its message; anything else unforeseen with status 1.
 */
export async function runProcess(logger: () => Logger, start: () => Promise<Running>): Promise<void> {
  let running: Running;
  try {
    running = await start();
  } catch (error) {
    fail(error);
  }
  let ending = false;
  const end = (why: string): void => {
    if (ending) return;
    ending = true;
    logger().info({ why }, 'draining');
    // The limit is the last resort against a peer that never lets go.
    setTimeout(() => process.exit(exitStatus.failed), DRAIN_LIMIT_MS).unref();
    running.drain().then(() => process.exit(exitStatus.ok), fail);
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
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
