import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scriptArguments } from '../../runtime/script.ts';
import { findLeaks } from '../../scripts/secret-leaks.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

test('the search for leaked secrets also finds secrets in gzip-compressed answers that a test has received', () => {
  const secrets = ['planted-in-the-first-body', 'planted-in-the-second-body'];
  const directory = scratchDirectory();
  const lines = secrets.map(secret => `${Buffer.from(secret).toString('base64')}\n`);
  writeFileSync(join(directory, 'planted.secrets'), lines.join(''));
  const script = join(import.meta.dirname, 'planted-answers.ts');
  // Records the answers in a separate directory, because these answers contain secrets on purpose. At the end of a test
  // run, `npm test` searches the recorded answers for leaked secrets. That search must not read these answers.
  const env = { PATH: process.env.PATH, TEST_TRANSCRIPTS: directory };
  execFileSync(process.execPath, [...scriptArguments(script), JSON.stringify(secrets)], { env });
  const { heard, leaks } = findLeaks(directory);
  assert.deepEqual(heard, ['answers of REST']);
  assert.equal(leaks.length, secrets.length, leaks.join('\n'));
  for (const leak of leaks) assert.match(leak, /^answers of REST: .*\{"message":"<secret>","more":/);
});
