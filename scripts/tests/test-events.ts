/** The events that a test process (load.ts) writes to its parent (test-process.ts), one JSON object a line. */

/** The file descriptor that events are written to. */
export const EVENTS_FD = 3;

/** The name of the suite around the tests of a file. */
export const FILE_SUITE = '\0';

/** How a test ended. */
export interface TestEvent {
  kind: 'test';
  /** Names of the suites and tests around it and its own, outermost first. */
  names: string[];
  outcome: 'passed' | 'failed' | 'skipped';
  /** `path:line` of the call that made the test, relative to the project; empty if it is not known. */
  place: string;
  /** Of a failure: the error with its stack. Absent if only tests within it failed. */
  error?: string;
}

/** All tests of the current file have ended. */
export interface FileEvent {
  kind: 'file';
  /** Why the file could not be loaded or ended too late. */
  error?: string;
}

/** A message of Node that is not about a single test, such as an error after the end of a test. */
export interface NoteEvent {
  kind: 'note';
  text: string;
}

export type RunEvent = TestEvent | FileEvent | NoteEvent;
