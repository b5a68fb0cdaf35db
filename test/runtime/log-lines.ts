import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { Logger } from '../../runtime/log.ts';

/** The fields of one log line of a process. */
export type LogLine = Record<string, unknown>;

/** Regular expression that finds the e-mail addresses in a text. */
const EMAIL = /[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+/g;

/** A logger that keeps its lines in memory. */
export class LogLines {
  readonly lines: LogLine[] = [];
  readonly logger: Logger;
  readonly #waiters = new Set<() => void>();

  constructor(level = 'info') {
    this.logger = pino(
      { level },
      {
        write: (text: string) => {
          this.lines.push(JSON.parse(text) as LogLine);
          for (const check of this.#waiters) check();
        },
      },
    );
  }

  /** Waits for a log line for which `matches` returns true. Resolves to the first such line. */
  find(matches: (line: LogLine) => boolean): Promise<LogLine> {
    return new Promise(resolve => {
      const check = (): void => {
        const line = this.lines.find(matches);
        if (!line) return;
        this.#waiters.delete(check);
        resolve(line);
      };
      this.#waiters.add(check);
      check();
    });
  }

  /** Fails if a log line contains one of these secrets, or an e-mail address. */
  assertDiscreet(secrets: readonly string[]): void {
    for (const line of this.lines) {
      const text = JSON.stringify(line);
      for (const secret of secrets) assert.ok(!text.includes(secret), text);
      assert.deepEqual(text.match(EMAIL), null, text);
    }
  }
}
