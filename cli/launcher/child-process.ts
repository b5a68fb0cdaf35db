import { type ChildProcess, spawn } from 'node:child_process';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';

/** How a child process ended. */
export interface ChildEnd {
  /** Exit status; null if a signal ended the process. */
  status: number | null;
  signal: NodeJS.Signals | null;
}

/** A run of a service process, with an IPC channel. */
export interface Child {
  readonly pid: number | undefined;
  /** Resolves with its listening addresses. Never resolves if the process ends first. */
  readonly ready: Promise<ReadyMessage>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<ChildEnd>;
  kill(signal: NodeJS.Signals): void;
}

/** Runs Node with these arguments. The child's stdout and stderr go to our stderr. */
export function startChild(argv: readonly string[], env: NodeJS.ProcessEnv): Child {
  // Starts a process group, so that Ctrl-C reaches only the launcher, which then ends the children in order.
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
