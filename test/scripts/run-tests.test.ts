import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from '../../runtime/script.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const IMPORTS = `import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
`;

/**
 * Writes test files with the contents in `files`, keyed by file name. Runs scripts/run-tests.ts on these test files.
 */
function run(files: Readonly<Record<string, string>>, ...flags: string[]) {
  const folder = scratchDirectory();
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), IMPORTS + text);
  const argv = [...scriptArguments('scripts/run-tests.ts'), folder, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: root, encoding: 'utf8' });
  const out = stdout.replaceAll(`${relative(root, folder)}/`, '').replaceAll(`${folder}/`, '');
  return { status, out: out.replaceAll(/\d+\.\d+ s\b/g, '_ s'), err: stderr };
}

const good = `
test('one', () => {});
describe('more', () => {
  test('two', () => {});
  test('left out', { skip: 'for a reason' }, () => {});
});
`;

describe('npm test', () => {
  test('prints one line for each test file, and the total counts at the end', () => {
    assert.deepEqual(run({ 'a.test.ts': good, 'b.test.ts': `test('only', () => {});` }), {
      status: 0,
      out:
        'ok   a.test.ts  3 tests, 1 skipped  _ s\n' +
        '  skipped: a.test.ts:7 more > left out: for a reason\n' +
        'ok   b.test.ts  1 test  _ s\n' +
        '2 files, _ s\n3 passed, 0 failed, 1 skipped\n',
      err: '',
    });
  });

  test('prints a failed test with its TypeScript line and its error, and the output of the test file', () => {
    const bad = `
interface Erased {
  a: number;
}
describe('group', () => {
  test('parent', async t => {
    console.log('a word');
    await t.test('fails', () => {
      const value: Erased = { a: 1 };
      assert.equal(value.a, 2);
    });
  });
});
`;
    const { status, out } = run({ 'a.test.ts': bad, 'b.test.ts': good });
    assert.equal(status, 1);
    assert.match(out, /^FAIL a\.test\.ts {2}2 tests, 2 failed /m);
    assert.match(out, /^ {2}a\.test\.ts:10 group > parent > fails$/m);
    assert.match(out, /^ {4}AssertionError .*strictly equal:\n(?:.*\n)*? {8}at .*a\.test\.ts:12:14\)?$/m);
    assert.match(out, /^ {4}a word$/m);
    assert.doesNotMatch(out, /node:internal/);
    assert.match(out, /^ok {3}b\.test\.ts {2}3 tests/m);
    assert.match(
      out,
      /\nFAIL a\.test\.ts:10 group > parent > fails\n2 files, _ s\n2 passed, 2 failed, 1 skipped\n$/,
    );
  });

  test('runs the hooks of a test file only for tests of the same file, and continues if a file cannot be loaded', () => {
    const hooked = `
before(() => { globalThis.state = 'open'; });
after(() => { globalThis.state = 'closed'; });
test('open', () => assert.equal(globalThis.state, 'open'));
`;
    const last = `test('the other is closed', () => assert.equal(globalThis.state, 'closed'));`;
    const files = { 'a.test.ts': hooked, 'b.test.ts': `throw new Error('not today');`, 'c.test.ts': last };
    const { status, out } = run(files);
    assert.equal(status, 1);
    assert.match(out, /^FAIL b\.test\.ts {2}0 tests {2}_ s\n {4}Error: not today\n/m);
    assert.match(out, /^2 passed, 0 failed, 0 skipped$/m);
  });

  test('fails if a test calls process.exit, or if code of a test throws an error after the test has ended', () => {
    const ends = run({ 'a.test.ts': `test('early', () => process.exit(0));`, 'b.test.ts': good });
    assert.equal(ends.status, 1);
    assert.match(ends.out, /^FAIL a\.test\.ts: the process ended with 0 before this file was over$/m);
    assert.match(ends.out, /^FAIL b\.test\.ts: was not run: its process had ended$/m);
    const late = `
test('forgets', () => void setImmediate(() => { throw new Error('too late'); }));
test('waits', () => new Promise(resolve => setTimeout(resolve, 50)));
`;
    const left = run({ 'a.test.ts': late });
    assert.equal(left.status, 1, left.out);
    assert.match(left.out, /too late/);
  });

  test('runs only the tests that --test-name-pattern or --only selects', () => {
    const byName = run({ 'a.test.ts': good }, '--test-name-pattern', 'two', '--test-name-pattern', '^one$');
    assert.equal(byName.status, 0, byName.out);
    assert.match(byName.out, /^2 passed, 0 failed, 0 skipped$/m);
    const only = run({ 'a.test.ts': good, 'b.test.ts': `test.only('three', () => {});` }, '--only');
    assert.equal(only.status, 0, only.out);
    assert.match(only.out, /^1 passed, 0 failed, 0 skipped$/m);
    assert.match(only.out, /^ok {3}b\.test\.ts {2}1 test /m);
  });

  test('fails if there is no test to run, if a flag is unknown, or if --service is combined with a folder', () => {
    const none = run({ 'a.test.ts': good }, '--test-name-pattern', 'nix');
    assert.equal(none.status, 1);
    assert.match(none.err, /^run-tests: found no test in 1 files$/m);
    assert.match(run({}).err, /^run-tests: found no \*\.test\.ts file$/m);
    const unknown = run({ 'a.test.ts': good }, '--watch');
    assert.equal(unknown.status, 2);
    assert.match(unknown.err, /^usage: npm test -- /m);
    const both = run({ 'a.test.ts': good }, '--service');
    assert.equal(both.status, 2);
    assert.match(both.err, /^run-tests: --service takes no folder and no file$/m);
  });
});
