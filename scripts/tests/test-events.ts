/**
 * The events that a test process (load.ts) writes to its parent process (test-process.ts). Each event is one line with
 * a JSON object.
 */

/** File descriptor to which a test process writes its events. */
export const EVENTS_FD = 3;

/** Name of the suite that contains all tests of a file. */
export const FILE_SUITE = '\0';

/** Event: a test has ended. */
export interface TestEvent {
  kind: 'test';
  /** Names of the suites and tests that contain the test, outermost first, followed by the name of the test itself. */
  names: string[];
  outcome: 'passed' | 'failed' | 'skipped';
  /**
   * `path:line` of the call that defines the test. The path is relative to the root of the project. Empty if the place
   * is not known.
   */
  place: string;
  /** If the test failed, the error with its stack. Absent if the test failed only because a test inside it failed. */
  error?: string;
  /** If the test was skipped, the reason that the test file gives. */
  reason?: string;
}

/** Event: all tests of the current file have ended. */
export interface FileEvent {
  kind: 'file';
  /** Error of the test file, if it could not be loaded or exceeded its time limit. */
  error?: string;
}

/**
 * Event: a diagnostic message of Node's test runner that does not belong to a single test. Example: an error after the
 * end of a test.
 */
export interface NoteEvent {
  kind: 'note';
  text: string;
}

export type RunEvent = TestEvent | FileEvent | NoteEvent;
