import { relative } from 'node:path';
import type { TestEvent } from './test-events.ts';
import type { FileResult } from './test-process.ts';

const indent = (text: string): string => text.trimEnd().replaceAll(/^(?=.)/gm, '    ');
const titleOf = ({ place, names }: TestEvent): string => `${place} ${names.join(' > ')}`;
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * Prints one line for each test file, with its failures and the reasons of skipped tests. At the end, prints the total
 * numbers of files and tests.
 */
export class Report {
  readonly #write: (text: string) => void;
  readonly #root: string;
  readonly #failures: string[] = [];
  readonly #counts = { passed: 0, failed: 0, skipped: 0 };
  #files = 0;

  /** `root`: base folder of the relative paths in the printed report. `write`: prints a string. */
  constructor(root: string, write: (text: string) => void) {
    this.#root = root;
    this.#write = write;
  }

  /** Number of tests that ran or were skipped, in all test files so far. */
  get tests(): number {
    const { passed, failed, skipped } = this.#counts;
    return passed + failed + skipped;
  }

  /** True if no test file has failed so far. */
  get ok(): boolean {
    return this.#failures.length === 0;
  }

  /**
   * Prints one line for a test file, and its failures. Prints nothing if no test of the file ran and the file had no
   * error.
   */
  add({ file, tests, faults, notes, output, ms }: FileResult): void {
    const path = relative(this.#root, file);
    const failed = tests.filter(({ outcome }) => outcome === 'failed');
    for (const { outcome } of tests) this.#counts[outcome]++;
    if (tests.length === 0 && faults.length === 0) return;
    this.#files++;
    const bad = failed.length + faults.length > 0;
    const skipped = tests.filter(({ outcome }) => outcome === 'skipped').length;
    const counts = [counted(tests.length, 'test'), ...(failed.length > 0 ? [`${failed.length} failed`] : [])];
    if (skipped > 0) counts.push(`${skipped} skipped`);
    const lines = [`${bad ? 'FAIL' : 'ok  '} ${path}  ${counts.join(', ')}  ${(ms / 1000).toFixed(2)} s`];
    for (const note of notes) lines.push(indent(note));
    for (const test of tests) {
      if (test.reason !== undefined) lines.push(`  skipped: ${titleOf(test)}: ${test.reason}`);
    }
    for (const test of failed) {
      // Does not print a test that failed only because a test inside it failed. The inner test is printed with its own
      // error.
      if (test.error === undefined) continue;
      lines.push(`  ${titleOf(test)}`, indent(test.error));
      this.#failures.push(titleOf(test));
    }
    for (const fault of faults) {
      lines.push(indent(fault));
      this.#failures.push(`${path}: ${fault.split('\n', 1)[0]}`);
    }
    if (bad && output.trim() !== '') lines.push('  printed meanwhile:', indent(output));
    this.#write(`${lines.join('\n')}\n`);
  }

  /** Prints one line for each failure in any file, and then the total counts. */
  finish(ms: number): void {
    const { passed, failed, skipped } = this.#counts;
    for (const failure of this.#failures) this.#write(`FAIL ${failure}\n`);
    this.#write(`${counted(this.#files, 'file')}, ${(ms / 1000).toFixed(1)} s\n`);
    this.#write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
