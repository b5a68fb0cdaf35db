import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { ANY_PORT } from './launcher-process.ts';

const root = resolve(import.meta.dirname, '../..');

/** Matches carriage returns, and the spinner of npm with the escape sequences that erase the spinner. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals use them.
const NOT_SHOWN = /\r|[-\\|/]?\x1b\[1G\x1b\[0K/g;

/**
 * The command line `npm start` in a pseudo-terminal of 24 lines and 80 columns. Needs the program `script` of Linux.
 */
export class NpmStart {
  #output = '';
  readonly #script: ChildProcess;
  #changed: () => void = () => {};

  /**
   * Runs `npm start`. `home`: home directory for npm, which keeps its cache there. `env`: additional environment
   * variables.
   */
  constructor(home: string, env: Record<string, string>) {
    this.#script = spawn('script', ['-qec', 'stty cols 80 rows 24; exec npm start', '/dev/null'], {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: home,
        npm_config_update_notifier: 'false',
        ...ANY_PORT,
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#script.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#changed();
    });
    this.#script.on('exit', () => this.#changed());
  }

  /** All text that the terminal shows, without carriage returns and the spinner of npm. */
  get shown(): string {
    return this.#output.replace(NOT_SHOWN, '');
  }

  /** Waits until the terminal shows a text. Rejects if the command ends before that. */
  async until(text: string): Promise<void> {
    while (!this.shown.includes(text)) {
      if (this.#script.exitCode !== null) throw new Error(`npm start ended:\n${this.shown}`);
      await new Promise<void>(wake => {
        this.#changed = wake;
      });
    }
  }

  /** Presses Ctrl-C. Resolves to the exit status of the command. */
  async interrupt(): Promise<number | null> {
    this.#script.stdin?.write('\x03');
    if (this.#script.exitCode === null) await once(this.#script, 'exit');
    return this.#script.exitCode;
  }

  /** Kills the program `script`, and so closes the terminal. The processes in the terminal get SIGHUP. */
  close(): void {
    this.#script.kill('SIGKILL');
  }
}
