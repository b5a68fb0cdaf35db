import assert from 'node:assert/strict';
import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { backedUp } from '../core/backup/backed-up-store.ts';
import { gsq } from './gsq-command.ts';

/** Makes each sync of a directory in this process fail with an error code. Files are synced as usual. */
function failDirectorySyncs(t: TestContext, code: string): void {
  const { fsyncSync } = fs;
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    if (fs.fstatSync(file).isDirectory()) throw Object.assign(new Error(`${code}: fsync`), { code });
    fsyncSync(file);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
}

test('gsq backup --offline accepts a file system that cannot sync directories, but fails on an I/O error', async t => {
  const { home, directory, booted } = await backedUp();
  await booted.close();
  const backup = (file: string) => gsq({}, 'backup', file, '--offline', '--data-dir', directory);
  const file = join(home, 'saved.ndjson');
  failDirectorySyncs(t, 'EINVAL');
  const { status, talk } = await backup(file);
  assert.equal(status, 0, talk);
  assert.match(talk, /read back and verified/);
  assert.ok(existsSync(file));
  t.mock.restoreAll();
  failDirectorySyncs(t, 'EIO');
  const failed = await backup(join(home, 'other.ndjson'));
  assert.equal(failed.status, 1);
  assert.match(failed.talk, /EIO: fsync/);
});

test('if the target directory does not exist, gsq backup fails with an error message of one line', async () => {
  const { home, directory, booted } = await backedUp();
  await booted.close();
  const file = join(home, 'no-directory', 'saved.ndjson');
  const { status, talk } = await gsq({}, 'backup', file, '--offline', '--data-dir', directory);
  assert.equal(status, 1);
  assert.match(talk, /^gsq: .*no-directory.* cannot be written: .*no such file or directory.*\n?$/);
});
