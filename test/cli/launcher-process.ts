import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { after } from 'node:test';
import type { StartedMessage } from '../../cli/launcher/launch.ts';
import type { ReadyMessage } from '../../runtime/lifecycle.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { Transcript } from '../system/transcript.ts';

const root = resolve(import.meta.dirname, '../..');
/** Environment variables for `gsq start`: each process of the service listens on free ports of 127.0.0.1. */
export const ANY_PORT = Object.fromEntries(
  ['HTTP', 'GRPC', 'INTERNAL', 'CORE_OPS', 'GATEWAY_OPS', 'PROBER_OPS', 'NOTIFIER_OPS'].map(name => [
    `GSQ_${name}_ADDR`,
    '127.0.0.1:0',
  ]),
);

/** A process that runs `gsq start`, and its output so far. */
export class Launcher {
  readonly child: ChildProcess;
  readonly pids = new Map<string, number[]>();
  stdout = '';
  stderr = '';
  ready: ReadyMessage | undefined;
  #changed: () => void = () => {};

  constructor(env: Record<string, string>, ...args: string[]) {
    this.child = spawn(process.execPath, [...scriptArguments('cli/gsq.ts'), 'start', ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, TMPDIR: tmpdir(), ...ANY_PORT, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    // Records what the launcher prints to stderr, so that a later search can find leaked secrets. Does not record
    // stdout, because the launcher prints the first token to stdout on purpose.
    new Transcript('cli/gsq.ts start', env).hear(this.child.stderr);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#changed();
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#changed();
    });
    this.child.on('message', message => {
      const told = message as StartedMessage | ReadyMessage;
      if (told.type === 'ready') this.ready = told;
      else this.pids.set(told.name, [...(this.pids.get(told.name) ?? []), told.pid ?? 0]);
      this.#changed();
    });
    this.child.on('exit', () => this.#changed());
  }

  /** Waits until `done` returns true. Fails if the process of `gsq start` ends before that. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      assert.equal(this.child.exitCode, null, this.stderr);
      await new Promise<void>(wake => {
        this.#changed = wake;
      });
    }
  }

  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }
}

const launchers: Launcher[] = [];

/**
 * Starts gsq with these settings in the same way as `npm start`. After all tests of the file, the processes that are
 * still running are killed.
 */
export function launch(env: Record<string, string>, ...args: string[]): Launcher {
  const launcher = new Launcher(env, ...args);
  launchers.push(launcher);
  return launcher;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * Waits until all these processes have ended. Polls them, because they are not children of this process and therefore
 * send no exit event.
 */
export async function gone(pids: readonly number[]): Promise<void> {
  while (pids.some(isRunning)) await new Promise(resolve => setTimeout(resolve, 20));
}

export const allPids = ({ pids }: Launcher): number[] => [...pids.values()].flat();

after(() => {
  for (const launcher of launchers) {
    launcher.child.kill('SIGKILL');
    for (const pid of allPids(launcher)) if (pid > 0 && isRunning(pid)) process.kill(pid, 'SIGKILL');
  }
});
