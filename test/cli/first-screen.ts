import assert from 'node:assert/strict';

/**
 * Number of terminal lines that the first screen of `npm start` cannot use: the command that the user typed, four lines
 * of npm, and the line of the cursor.
 */
export const LINES_BESIDE_SCREEN = 6;

/**
 * Returns the lines that a user copies from the first screen of `npm start` into a shell: assignments of variables, and
 * a curl command.
 */
export function commandOf(text: string): string {
  const found = /(?:^ {2}export (?:.*\\\n)*.*\n)?^ {2}TOKEN=(?:.*\\\n)*.*\n {2}curl (?:.*\n)*?.*'$/m.exec(
    text,
  );
  assert.ok(found, `no command in:\n${text}`);
  return found[0];
}
