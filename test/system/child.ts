import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchDirectory } from './scratch-directory.ts';
import { Transcript } from './transcript.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KEPT_OUTPUT = 64 * 1024;

export interface ChildOptions {
  /** Environment variables of the child process, in addition to PATH and the variables for the home directory. */
  env?: Record<string, string>;
  /** Working directory of the child process. The default is the root of this checkout. */
  cwd?: string;
  /** If true, the child process has an IPC channel to the test. */
  ipc?: boolean;
  /**
   * True if the program prints secrets to stdout on purpose, such as a new token. The test runner then does not search
   * its stdout for secrets.
   */
  stdoutIsData?: boolean;
}

/** How a child process ended: its exit status, or the signal that ended it. */
export type Ending = number | NodeJS.Signals;

/** A child process with its own home directory. */
export class Child {
  readonly process: ChildProcess;
  readonly home: string;
  /** Resolves when the child process has ended and its output is complete. */
  readonly ended: Promise<Ending>;
  readonly #name: string;
  #output = '';

  private constructor(name: string, process: ChildProcess, home: string, transcript: Transcript) {
    this.#name = name;
    this.process = process;
    this.home = home;
    this.ended = once(process, 'close').then(([code, signal]) => {
      transcript.end(join(home, 'data'));
      return code ?? signal;
    });
    for (const stream of [process.stdout, process.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      });
    }
  }

  /**
   * Starts a program with a new, empty home directory. `prepare` receives this directory and returns the arguments of
   * the program.
   */
  static async start(
    command: string,
    prepare: (home: string) => string[] | Promise<string[]>,
    options: ChildOptions = {},
  ): Promise<Child> {
    const home = scratchDirectory();
    const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
    const args = await prepare(home);
    const started = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe', ...(options.ipc ? ['ipc' as const] : [])],
    });
    const name = [command, ...args].join(' ');
    const transcript = new Transcript(name, options.env ?? {});
    const child = new Child(name, started, home, transcript);
    if (!options.stdoutIsData) transcript.hear(started.stdout);
    transcript.hear(started.stderr);
    try {
      await once(started, 'spawn');
    } catch (error) {
      throw new Error(`${command} cannot be started`, { cause: error });
    }
    return child;
  }

  get pid(): number {
    const { pid } = this.process;
    if (pid === undefined) throw new Error(`${this.#name} has no process id`);
    return pid;
  }

  get running(): boolean {
    return this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Recent output of the child process, stdout and stderr together. */
  get output(): string {
    return this.#output;
  }

  /** State and recent output of the child process, for error messages. */
  get report(): string {
    const { exitCode, signalCode } = this.process;
    const state = this.running ? 'running' : `ended with ${exitCode ?? signalCode}`;
    return `--- ${this.#name} (${this.process.pid}), ${state}:\n${this.#output}`;
  }

  /** Sends a signal to the child process without waiting for the effect. */
  signal(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /**
   * Sends a signal to the child process, if it runs. Resolves when the process has ended, with its exit status or
   * signal.
   */
  stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<Ending> {
    if (this.running) this.process.kill(signal);
    return this.ended;
  }
}
