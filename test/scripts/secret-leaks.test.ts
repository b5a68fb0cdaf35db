import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newSecret } from '../../core/access/token.ts';
import { scriptArguments } from '../../runtime/script.ts';
import { findLeaks, leaksIn, unheard } from '../../scripts/secret-leaks.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const SECRET = 'a-secret-of-this-test';
const KEY = Buffer.from('000102030405060708090a0b0c0d0e0ff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff', 'hex');

/**
 * Creates a directory with the records of a test run: the output `said` of process 1, and the secrets of process 2.
 * Returns the path of the directory.
 */
function transcriptsOf(said: string): string {
  const directory = scratchDirectory();
  writeFileSync(join(directory, '1-0.command'), 'node core/main.ts');
  if (said !== '') writeFileSync(join(directory, '1-0.said'), said);
  // The name of the file with these secrets begins with 2, so they belong to process 2. `findLeaks` must find these
  // secrets in the output of process 1 too.
  const secrets = [
    Buffer.from(SECRET),
    KEY,
    Buffer.from(`-----BEGIN X-----\nMIGHAgEAMBMGByqGSM49\n-----END X-----\n`),
  ];
  writeFileSync(
    join(directory, '2-0.secrets'),
    secrets.map(secret => `${secret.toString('base64')}\n`).join(''),
  );
  return directory;
}

test('findLeaks finds a secret in a log as plain text, hex or base64url, and reports it only as <secret>', () => {
  const forms = [SECRET, KEY.toString('hex'), KEY.toString('base64url'), 'MIGHAgEAMBMGByqGSM49', newSecret()];
  for (const form of forms) {
    const { leaks } = findLeaks(transcriptsOf(`{"msg":"it is ${form}, is it not"}\n`));
    assert.deepEqual(leaks, ['node core/main.ts: {"msg":"it is <secret>, is it not"} '], form);
  }
});

test('findLeaks (searches recorded output for secrets) ignores text that only resembles a secret', () => {
  const broken = newSecret().replace(/.$/, last => (last === 'x' ? 'y' : 'x'));
  const { leaks, heard, secrets } = findLeaks(
    transcriptsOf(`{"token":"${broken}","id":"tok_0123456789ab","ca":"-----BEGIN X-----"}`),
  );
  assert.deepEqual([leaks, heard, secrets], [[], ['node core/main.ts'], 3]);
});

test('findLeaks (searches recorded output for secrets) reports that it checked nothing if no output is recorded', () => {
  assert.deepEqual(findLeaks(transcriptsOf('')).heard, []);
  const empty = join(scratchDirectory(), 'empty');
  mkdirSync(empty);
  assert.deepEqual(findLeaks(empty), { heard: [], secrets: 0, leaks: [] });
});

test('leaksIn (searches a text for secrets) reports each token in the text as a separate leak', () => {
  assert.equal(leaksIn(`${newSecret()} ${newSecret()}`, []).length, 2);
});

test('findLeaks finds secrets in metrics, REST errors and gRPC error details, but ignores them in successful responses', () => {
  const directory = scratchDirectory();
  const secrets = Object.fromEntries(
    ['metrics', 'body', 'header', 'details', 'made'].map(place => [
      place,
      `planted-in-${place}-by-this-test`,
    ]),
  );
  const lines = Object.values(secrets).map(secret => `${Buffer.from(secret).toString('base64')}\n`);
  writeFileSync(join(directory, 'planted.secrets'), lines.join(''));
  const script = join(import.meta.dirname, 'planted-leaks.ts');
  // Runs a program that leaks the secrets on purpose. The program records its output in a directory of its own. So the
  // search for leaks in the output of the current test run does not find these leaks.
  const env = { PATH: process.env.PATH, TEST_TRANSCRIPTS: directory };
  execFileSync(process.execPath, [...scriptArguments(script), JSON.stringify(secrets)], { env });
  const { heard, leaks } = findLeaks(directory);
  const sources = ['metrics of prober', 'answers of REST', 'answers of gRPC'];
  assert.deepEqual(heard.toSorted(), sources.toSorted());
  const places = [
    /^metrics of prober: gsq_things\{of="<secret>"\} 1/,
    /^answers of REST: .*\{"message":"<secret>"\}/,
    /^answers of REST: .* x-reason: <secret> /,
    /^answers of gRPC: .*<secret>/,
  ];
  for (const place of places)
    assert.equal(leaks.filter(leak => place.test(leak)).length, 1, leaks.join('\n'));
  assert.equal(leaks.length, places.length);
});

test('unheard() returns the processes, metrics and responses that are missing in the recorded output of a test run', () => {
  const processes = [
    'node core/main.ts --print-config',
    'gateway/main.ts',
    'prober/main.ts',
    'notifier/main.ts',
    'node cli/gsq.ts',
  ];
  const others = ['metrics of core', 'metrics of gateway', 'metrics of prober', 'metrics of notifier'];
  const answers = ['answers of REST', 'answers of gRPC'];
  assert.deepEqual(unheard([...processes, ...others, ...answers]), []);
  assert.deepEqual(unheard([...processes, ...answers]), others);
  assert.deepEqual(unheard([...processes, ...others]), answers);
  assert.deepEqual(unheard([...others, ...answers]).length, 6);
});
