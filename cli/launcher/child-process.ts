import { type ChildProcess, spawn } from 'node:child_process';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';

/** The way in which a child process ended. */
export interface ChildEnd {
  /** The exit status, or null if a signal ended the process. */
  status: number | null;
  signal: NodeJS.Signals | null;
}

/** A running child process. It sends messages to its parent process through an IPC channel. */
export interface Child {
  readonly pid: number | undefined;
  /**
   * Resolves when the process is ready. The result is a message that contains the listening addresses of the process.
   * Never resolves if the process ends before it is ready.
   */
  readonly ready: Promise<ReadyMessage>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<ChildEnd>;
  kill(signal: NodeJS.Signals): void;
}

/**
 * Starts Node with the given arguments. The stdout and stderr of the child process are written to the stderr of this
 * process.
 */
export function startChild(argv: readonly string[], env: NodeJS.ProcessEnv): Child {
  // The child gets its own process group, so that Ctrl-C reaches only the launcher. The launcher then ends all children
  // in the right order.
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
