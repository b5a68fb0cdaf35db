/** The reporter of a process of tests (`node --test-reporter`): turns what Node tells of them into events for the parent. */
import { AssertionError } from 'node:assert/strict';
import { writeSync } from 'node:fs';
import { findSourceMap } from 'node:module';
import { relative, resolve } from 'node:path';
import { Transform } from 'node:stream';
import { inspect } from 'node:util';
import { EVENTS_FD, FILE_SUITE, type RunEvent, type TestEvent } from './test-events.ts';

/** What Node tells a reporter, as far as it is read here. */
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

/** Why Node 20 skips a test that was not chosen; later ones do not tell of such. */
const NOT_CHOSEN: unknown[] = ['test name does not match pattern', "'only' option not set"];
const root = resolve(import.meta.dirname, '../..');
/** Node's own summary, which the runner makes of all processes together. */
const SUMMARY = /^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;
/** In stacks: frames of Node itself, and what stands before paths of the project. */
const OF_NODE = /\n +at [^\n]*\(?node:internal[^\n]*/g;
const ROOT = `${root}/`;

/** Where a test is in the TypeScript source: tsx tells Node places in what it made of the source. */
function placeOf({ file, line, column }: NodeEvent['data']): string {
  if (file === undefined || line === undefined || column === undefined) return '';
  const origin = findSourceMap(file)?.findEntry(line - 1, column - 1);
  const at = origin && 'originalLine' in origin ? origin.originalLine + 1 : line;
  return `${relative(root, file)}:${at}`;
}

/** The error that a test ended with, for people; undefined if it is only that tests within it failed. */
function errorOf({ details }: NodeEvent['data']): string | undefined {
  const error = details?.error;
  if (!error || error.failureType === 'subtestsFailed') return undefined;
  const cause = error.cause ?? error;
  // The message of an assertion tells all that inspect would tell once more.
  const text = (cause instanceof AssertionError && cause.stack) || inspect(cause, { depth: 5 });
  return text.replaceAll(OF_NODE, '').replaceAll(`file://${ROOT}`, '').replaceAll(ROOT, '');
}

function outcomeOf({ type, data }: NodeEvent): TestEvent['outcome'] {
  const decidesNothing = [data.skip, data.todo].some(mark => mark !== undefined && mark !== false);
  if (decidesNothing) return 'skipped';
  return type === 'test:fail' ? 'failed' : 'passed';
}

/** Turns what Node tells into events. */
export class EventReader {
  readonly #names: string[] = [];

  /** The event to tell of; undefined if there is nothing to tell. */
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
    // A suite is told of only if it failed by itself, as by a hook.
    if (data.details?.type === 'suite' && error === undefined) return undefined;
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

/** The reporter: writes events for the parent, and nothing where a reporter usually writes. */
export default new Transform({
  writableObjectMode: true,
  transform(nodeEvent: NodeEvent, _encoding, done) {
    const event = reader.read(nodeEvent);
    if (event) writeSync(EVENTS_FD, `${JSON.stringify(event)}\n`);
    done();
  },
});
