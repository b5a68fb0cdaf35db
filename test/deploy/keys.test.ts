import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readTokenKey } from '../../core/access/token-key.ts';
import { CredentialsKey } from '../../core/credentials/credentials-key.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';
import { keepSecret } from '../system/transcript.ts';

const ENTRY = resolve(import.meta.dirname, '../../deploy/container/entrypoint.sh');
const FILES = ['credentials.key', 'token.key'];

/** Runs the entry point of the container image with the argument `keys` and these data directories. */
const keys = (...directories: string[]) => promisify(execFile)(ENTRY, ['keys', ...directories]);

/** Returns the contents of both key files of a data directory. */
function keysOf(directory: string): Buffer[] {
  return FILES.map(name => {
    const key = readFileSync(join(directory, name));
    keepSecret(key.toString('base64'));
    return key;
  });
}

test('the keys command creates the same valid key files in all data directories, and only their owner can read them', async () => {
  const home = scratchDirectory();
  const directories = [1, 2, 3].map(number => join(home, `core${number}`));
  await keys(...directories);
  for (const directory of directories) {
    assert.deepEqual(readdirSync(directory).sort(), FILES);
    for (const name of FILES) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600);
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    assert.ok(readTokenKey(directory));
    assert.ok(CredentialsKey.read(directory));
    assert.deepEqual(keysOf(directory), keysOf(directories[0] ?? ''));
  }
});

test('the keys command copies the key files of one data directory to the others, and changes no existing key file', async () => {
  const [old, other] = [scratchDirectory(), scratchDirectory()];
  await keys(old);
  const before = keysOf(old);
  await keys(other, old);
  await keys(old, other);
  assert.deepEqual(keysOf(old), before);
  assert.deepEqual(keysOf(other), before);
});

test('the keys command refuses data directories with different keys, names both key files, and changes no file', async () => {
  const [one, other] = [scratchDirectory(), scratchDirectory()];
  await keys(one);
  await keys(other);
  const before = [keysOf(one), keysOf(other)];
  await assert.rejects(keys(one, other), ({ code, stderr }: { code: number; stderr: string }) => {
    assert.equal(code, 1);
    assert.match(stderr, /^keys: .* are different keys;/);
    for (const directory of [one, other]) assert.ok(stderr.includes(join(directory, 'token.key')));
    return true;
  });
  assert.deepEqual([keysOf(one), keysOf(other)], before);
});

test('the keys command refuses a damaged key file, and does not copy it', async () => {
  const [one, other] = [scratchDirectory(), scratchDirectory()];
  writeFileSync(join(one, 'token.key'), 'too short', { mode: 0o600 });
  await assert.rejects(keys(one, other), /token\.key has 9 bytes instead of 32/);
  assert.deepEqual(readdirSync(other), []);
});

test('the keys command fails if no data directory is given', async () => {
  await assert.rejects(keys(), /keys: name the data directories/);
});
