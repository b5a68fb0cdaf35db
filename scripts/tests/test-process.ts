import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';
import { EVENTS_FD, type RunEvent, type TestEvent } from './test-events.ts';

const LOAD = fileURLToPath(new URL('load.ts', import.meta.url));
const REPORTER = new URL('event-reporter.ts', import.meta.url).href;
/**
 * Maximum number of characters of a test file's output that are kept. If the output is longer, its beginning is
 * dropped.
 */
const KEPT_OUTPUT = 16 * 1024;
/**
 * Additional time after the time limit of a test file, in milliseconds. If a test process sends no event until the
 * end of this time, it is stuck and is killed.
 */
const STUCK_MS = 30_000;

/** Result of one test file. */
export interface FileResult {
  /** Absolute path of the test file. */
  file: string;
  tests: TestEvent[];
  /**
   * Errors that belong to no single test. For example, the file could not be loaded, or its process ended with an
   * error.
   */
  faults: string[];
  /** Diagnostic messages of Node's test runner that do not belong to a single test. */
  notes: string[];
  /** Output of the test process while the test file ran. */
  output: string;
  ms: number;
}

export interface ProcessOptions {
  /** Time limit of a test file and of each of its tests, in milliseconds. */
  limitMs: number;
  /**
   * Options of Node that select single tests, such as `--test-name-pattern=x`. If there are any, each process runs only
   * one test file.
   */
  choice: readonly string[];
  /** Function that receives the result of each test file after all tests of the file have ended. */
  onFile: (result: FileResult) => void;
}

const hasFailed = (tests: readonly TestEvent[]): boolean => tests.some(({ outcome }) => outcome === 'failed');

/** A process that runs test files one after another. */
export class TestProcess {
  /** Resolves when this test process has ended and `onFile` has received the result of each of its test files. */
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #options: ProcessOptions;
  /** Test files that have no result yet, in the order in which they run. */
  readonly #files: string[];
  #tests: TestEvent[] = [];
  #faults: string[] = [];
  #notes: string[] = [];
  #output = '';
  #failed = false;
  #stuck = false;
  #lastOver = false;
  #fileBegan = performance.now();
  #watchdog: NodeJS.Timeout | undefined;

  constructor(files: readonly string[], options: ProcessOptions) {
    this.#files = [...files];
    this.#options = options;
    // The new process must not get the environment variable NODE_TEST_CONTEXT, which is set if a test started this
    // script. With this variable, Node would report the results of the new process to the runner of that test.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    this.#child = spawn(process.execPath, ['--test-reporter', REPORTER, ...this.#arguments()], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
      });
    }
    let rest = '';
    const events = this.#child.stdio[EVENTS_FD] as Readable;
    events.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#receive(JSON.parse(line) as RunEvent);
    });
    this.#awaitEvent();
    this.ended = once(this.#child, 'close').then(([status, signal]) => this.#finish(status ?? signal));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #arguments(): string[] {
    const { limitMs, choice } = this.#options;
    const [first = ''] = this.#files;
    if (choice.length === 0) return [...scriptArguments(LOAD), `${limitMs}`, ...this.#files];
    // Normally, load.ts runs a test file inside a suite. But if options such as `--test-name-pattern` select single
    // tests, Node 22 and 24 would skip this suite and all tests in it. Therefore Node then runs the file directly.
    this.#lastOver = true;
    return [...choice, ...scriptArguments(first)];
  }

  #awaitEvent(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      this.#stuck = true;
      this.kill();
    }, this.#options.limitMs + STUCK_MS);
  }

  #receive(event: RunEvent): void {
    this.#awaitEvent();
    if (event.kind === 'test') this.#tests.push(event);
    else if (event.kind === 'note') this.#notes.push(event.text);
    else {
      if (event.error !== undefined) this.#faults.push(event.error);
      // Reports the result of the last test file only when the process has ended. If the process ends with an error,
      // this file fails.
      if (this.#files.length > 1) this.#tell();
      else this.#lastOver = true;
    }
  }

  #finish(ending: number | string): void {
    clearTimeout(this.#watchdog);
    const failed = this.#failed || this.#faults.length > 0 || hasFailed(this.#tests);
    if (!this.#lastOver) {
      const why = this.#stuck ? 'was stuck and had to be killed' : `ended with ${ending}`;
      this.#faults.push(`the process ${why} before this file was over`);
    } else if (ending !== 0 && !failed) {
      this.#faults.push(`the process ended with ${ending}`);
    }
    this.#tell();
    while (this.#files.length > 0) {
      this.#faults.push('was not run: its process had ended');
      this.#tell();
    }
  }

  /**
   * Reports the result of the test file that has just ended: the first file in `#files`. Removes the file from
   * `#files`.
   */
  #tell(): void {
    const file = this.#files.shift();
    if (file === undefined) return;
    const now = performance.now();
    const [tests, faults, notes, output] = [this.#tests, this.#faults, this.#notes, this.#output];
    this.#failed ||= faults.length > 0 || hasFailed(tests);
    this.#tests = [];
    this.#faults = [];
    this.#notes = [];
    this.#output = '';
    this.#options.onFile({ file, tests, faults, notes, output, ms: now - this.#fileBegan });
    this.#fileBegan = now;
  }
}
