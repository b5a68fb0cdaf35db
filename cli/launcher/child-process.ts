import { type ChildProcess, spawn } from 'node:child_process';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';

/** How a child ended before or after it was ready. */
export interface ChildEnd {
  /** Exit status; null where a signal ended it. */
  status: number | null;
  signal: NodeJS.Signals | null;
}

/** One run of a service process, started with an IPC channel. */
export interface Child {
  readonly pid: number | undefined;
  /** Resolves with what it listens on; never, where it ends before. */
  readonly ready: Promise<ReadyMessage>;
  /** Resolves when it is gone. */
  readonly ended: Promise<ChildEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** Runs Node with these arguments. Its stderr is ours; its stdout goes to our stderr. */
export function startChild(argv: readonly string[], env: NodeJS.ProcessEnv): Child {
  // A process group of its own: Ctrl-C reaches the launcher alone, which then ends the children in order.
  const child: ChildProcess = spawn(process.execPath, argv, {
    env,
    stdio: ['ignore', 2, 2, 'ipc'],
    detached: true,
  });
  const ready = new Promise<ReadyMessage>(resolve => {
    child.on('message', message => {
      if (isReady(message)) resolve(message);
    });
  });
  const ended = new Promise<ChildEnd>(resolve => {
    child.once('exit', (status, signal) => resolve({ status, signal }));
    child.once('error', () => resolve({ status: 1, signal: null }));
  });
  return { pid: child.pid, ready, ended, kill: signal => void child.kill(signal) };
}

function isReady(message: unknown): message is ReadyMessage {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}
