/**
 * Reporter of a test process (Node option `--test-reporter`). It converts the events of Node's test runner into events
 * for the parent process.
 */
import { AssertionError } from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { relative, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { inspect } from 'node:util';
import { EVENTS_FD, FILE_SUITE, type RunEvent, type TestEvent } from './test-events.ts';

/** An event of Node's test runner, with only the fields that this reporter reads. */
interface NodeEvent {
  type: string;
  data: {
    name: string;
    nesting: number;
    message?: string;
    file?: string;
    line?: number;
    column?: number;
    skip?: string | boolean;
    todo?: string | boolean;
    details?: { type?: string; error?: NodeJS.ErrnoException & { failureType?: string } };
  };
}

/**
 * Reasons that Node 20 reports for a skipped test if the command line did not select this test. This reporter ignores
 * such tests.
 */
const NOT_CHOSEN: unknown[] = ['test name does not match pattern', "'only' option not set"];
const root = resolve(import.meta.dirname, '../..');
/**
 * Matches the summary lines that Node writes for each process. This reporter drops them, because scripts/run-tests.ts
 * prints one summary of all processes.
 */
const SUMMARY = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** Matches the lines of a stack trace that belong to Node itself. This reporter removes them from error texts. */
const OF_NODE = /\n +at [^\n]*\(?node:internal[^\n]*/g;
const ROOT = `${root}/`;

/**
 * Returns where a test is defined in the TypeScript source, as `path:line`. Uses the source map if Node reports a line
 * of compiled code.
 */
function placeOf({ file, line, column }: NodeEvent['data']): string {
  if (file === undefined || line === undefined || column === undefined) return '';
  const origin = findSourceMap(file)?.findEntry(line - 1, column - 1);
  const at = origin && 'originalLine' in origin ? origin.originalLine + 1 : line;
  return `${relative(root, file)}:${at}`;
}

/**
 * Returns the error of a test as text. Returns undefined if the test has no error, or if it failed only because a test
 * inside it failed.
 */
function errorOf({ details }: NodeEvent['data']): string | undefined {
  const error = details?.error;
  if (!error || error.failureType === 'subtestsFailed') return undefined;
  const cause = error.cause ?? error;
  // For an AssertionError, uses only the stack trace. `inspect` would show the same data twice.
  const text = (cause instanceof AssertionError && cause.stack) || inspect(cause, { depth: 5 });
  return text.replaceAll(OF_NODE, '').replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, '');
}

function outcomeOf({ type, data }: NodeEvent): TestEvent['outcome'] {
  const decidesNothing = [data.skip, data.todo].some(mark => mark !== undefined && mark !== false);
  if (decidesNothing) return 'skipped';
  return type === 'test:fail' ? 'failed' : 'passed';
}

/** Converts the events of Node's test runner into events for the parent process. */
export class EventReader {
  readonly #names: string[] = [];

  /** Converts one event of Node's test runner. Returns undefined if the parent process does not need the event. */
  read(event: NodeEvent): RunEvent | undefined {
    const { type, data } = event;
    if (type === 'test:diagnostic') {
      return data.message === undefined || SUMMARY.test(data.message)
        ? undefined
        : { kind: 'note', text: data.message };
    }
    if (type === 'test:start') this.#names[data.nesting] = data.name;
    if ((type !== 'test:pass' && type !== 'test:fail') || NOT_CHOSEN.includes(data.skip)) return undefined;
    const error = errorOf(data);
    const outcome = outcomeOf(event);
    if (data.name === FILE_SUITE) {
      return { kind: 'file', ...(outcome === 'failed' && error !== undefined && { error }) };
    }
    // Reports a suite only if it was skipped or has an error of its own. The tests of a suite are reported separately.
    if (data.details?.type === 'suite' && error === undefined && outcome !== 'skipped') return undefined;
    const names = [...this.#names.slice(0, data.nesting), data.name].filter(name => name !== FILE_SUITE);
    return {
      kind: 'test',
      names,
      outcome,
      place: placeOf(data),
      ...(outcome === 'failed' && error !== undefined && { error }),
      ...(typeof data.skip === 'string' && data.skip !== '' && { reason: data.skip }),
    };
  }
}

const reader = new EventReader();

/**
 * Receives the events of Node's test runner, and converts them for the parent process. Writes the results to a pipe of
 * the parent process, and nothing to stdout.
 */
export default new Transform({
  writableObjectMode: true,
  transform(nodeEvent: NodeEvent, _encoding, done) {
    const event = reader.read(nodeEvent);
    if (event) writeSync(EVENTS_FD, `${JSON.stringify(event)}\n`);
    done();
  },
});
