import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { typescript } from '../../runtime/script.ts';
import { makeSecretFile, readSecretFile } from '../../runtime/secret-file.ts';
import { scratchDirectory } from '../system/scratch-directory.ts';

const isRoot = process.getuid?.() === 0;

function secretWith(mode: number): string {
  const path = join(scratchDirectory(), 'secret');
  writeFileSync(path, 'between us');
  chmodSync(path, mode);
  return path;
}

test('readSecretFile reads a file that only its owner can read', () => {
  for (const mode of [0o600, 0o400]) {
    assert.equal(readSecretFile(secretWith(mode))?.toString(), 'between us');
  }
});

for (const mode of [0o640, 0o604, 0o644, 0o444, 0o440, 0o620, 0o602, 0o601, 0o777]) {
  const octal = `0${mode.toString(8)}`;
  test(`readSecretFile refuses a file of the current user with mode ${octal}, and the error contains the right chmod command`, () => {
    const path = secretWith(mode);
    assert.throws(() => readSecretFile(path), {
      name: 'SecretFileError',
      message: `${path} has mode ${octal} and is open to other users than its owner; close it with: chmod 600 ${path}`,
    });
    chmodSync(path, 0o600);
    assert.equal(readSecretFile(path)?.toString(), 'between us');
  });
}

test('readSecretFile returns undefined if the file does not exist', () => {
  assert.equal(readSecretFile(join(scratchDirectory(), 'none')), undefined);
});

test('readSecretFile refuses a path that cannot be read, and the error contains the mode and the owner of the path', () => {
  const path = join(scratchDirectory(), 'folder');
  mkdirSync(path, { mode: 0o700 });
  assert.throws(() => readSecretFile(path), {
    name: 'SecretFileError',
    message: new RegExp(`^${path} \\(mode 0700, of user \\d+\\) cannot be read: EISDIR.*chmod 600 ${path}$`),
  });
});

test('readSecretFile accepts a file of root with mode 0440 or 0640 if the process runs as a different user in the group of the file', {
  skip: !isRoot && 'only root can become somebody else',
}, async () => {
  const NOBODY = 65_534;
  const module = JSON.stringify(new URL('../../runtime/secret-file.ts', import.meta.url).href);
  const read = async (mode: number): Promise<string> => {
    const path = secretWith(mode);
    chownSync(path, 0, NOBODY);
    chmodSync(join(path, '..'), 0o755);
    // Loads secret-file.ts before the process changes from the user `root` to the user `nobody`. The user `nobody` is
    // perhaps not allowed to read the files of this project.
    const script = `const { readSecretFile } = await import(${module});
      process.setgroups([]); process.setgid(${NOBODY}); process.setuid(${NOBODY});
      try { console.log(String(readSecretFile(${JSON.stringify(path)}))); } catch (error) { console.log(error.message); }`;
    const args = ['--import', typescript, '--input-type=module', '--eval', script];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  assert.equal(await read(0o440), 'between us\n');
  assert.equal(await read(0o640), 'between us\n');
  for (const mode of [0o444, 0o644, 0o660])
    assert.match(await read(mode), /is open to other users than its owner/);
  assert.match(await read(0o400), /\(mode 0400, of user 0\) cannot be read: EACCES.*chmod 600/);
});

test('makeSecretFile creates a complete file that only its owner can access, and does not replace an existing file', () => {
  const directory = scratchDirectory();
  const path = join(directory, 'secret');
  makeSecretFile(path, 'first');
  makeSecretFile(path, 'second');
  assert.equal(readFileSync(path, 'utf8'), 'first');
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ['secret']);
});
