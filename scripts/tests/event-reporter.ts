/** The reporter of a test process (`node --test-reporter`): turns Node's events into events for the parent process. */
import { AssertionError } from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { relative, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { inspect } from 'node:util';
import { EVENTS_FD, FILE_SUITE, type RunEvent, type TestEvent } from './test-events.ts';

/** The parts of Node's events that are used here. */
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

/** The reasons that Node 20 gives for tests that were not chosen. Later releases do not report such tests. */
const NOT_CHOSEN: unknown[] = ['test name does not match pattern', "'only' option not set"];
const root = resolve(import.meta.dirname, '../..');
/** Lines of Node's summary of one process. The runner prints one summary of all processes instead. */
const SUMMARY = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** Stack frames of Node itself, which are removed. */
const OF_NODE = /\n +at [^\n]*\(?node:internal[^\n]*/g;
const ROOT = `${root}/`;

/** Returns the place of a test in the TypeScript source. With tsx, Node reports a place in the compiled code. */
function placeOf({ file, line, column }: NodeEvent['data']): string {
  if (file === undefined || line === undefined || column === undefined) return '';
  const origin = findSourceMap(file)?.findEntry(line - 1, column - 1);
  const at = origin && 'originalLine' in origin ? origin.originalLine + 1 : line;
  return `${relative(root, file)}:${at}`;
}

/** Returns the error of a test as text; undefined if the test failed only because a test inside it failed. */
function errorOf({ details }: NodeEvent['data']): string | undefined {
  const error = details?.error;
  if (!error || error.failureType === 'subtestsFailed') return undefined;
  const cause = error.cause ?? error;
  // The stack of an AssertionError already contains everything that inspect would add.
  const text = (cause instanceof AssertionError && cause.stack) || inspect(cause, { depth: 5 });
  return text.replaceAll(OF_NODE, '').replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, '');
}

function outcomeOf({ type, data }: NodeEvent): TestEvent['outcome'] {
  const decidesNothing = [data.skip, data.todo].some(mark => mark !== undefined && mark !== false);
  if (decidesNothing) return 'skipped';
  return type === 'test:fail' ? 'failed' : 'passed';
}

/** Turns Node's events into events for the parent process. */
export class EventReader {
  readonly #names: string[] = [];

  /** Returns the event for the parent process; undefined if the parent does not need it. */
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
    // A suite is reported only if it was skipped or failed by itself, as by a hook.
    if (data.details?.type === 'suite' && error === undefined && outcome !== 'skipped') return undefined;
    const names = [...this.#names.slice(0, data.nesting), data.name].filter(name => name !== FILE_SUITE);
    return {
      kind: 'test',
      names,
      outcome,
      place: placeOf(data),
      ...(outcome === 'failed' && error !== undefined && { error }),
    };
  }
}

const reader = new EventReader();

/** Writes events to the parent process. Nothing is written to stdout, where reporters usually write. */
export default new Transform({
  writableObjectMode: true,
  transform(nodeEvent: NodeEvent, _encoding, done) {
    const event = reader.read(nodeEvent);
    if (event) writeSync(EVENTS_FD, `${JSON.stringify(event)}\n`);
    done();
  },
});
