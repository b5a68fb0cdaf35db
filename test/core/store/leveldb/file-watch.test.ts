import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FileWatch } from '../../../../core/store/leveldb/file-watch.ts';

const root = mkdtempSync(join(tmpdir(), 'gsq-watch-'));
after(() => rmSync(root, { recursive: true, force: true }));

/**
 * Creates a directory with the files of a store, and a symbolic link to the directory. Returns the paths of the
 * directory and of the link.
 */
function linkedStore(): { directory: string; link: string } {
  const directory = mkdtempSync(join(root, 'store-'));
  for (const name of ['LOCK', 'CURRENT', 'MANIFEST-000001', '000002.log'])
    writeFileSync(join(directory, name), '');
  const link = `${directory}.link`;
  symlinkSync(directory, link);
  return { directory, link };
}

function pointTo(link: string, target: string): void {
  rmSync(link, { force: true });
  symlinkSync(target, link);
}

/**
 * Replaces the lock file of the store. Keeps the old file under a different name, so that the new file cannot get the
 * same inode.
 */
function replaceLock(directory: string): void {
  renameSync(join(directory, 'LOCK'), join(directory, 'old lock'));
  writeFileSync(join(directory, 'LOCK'), '');
}

test('FileWatch (detects missing store files) repeats its last result while the store directory cannot be read', async () => {
  const { directory, link } = linkedStore();
  const watch = new FileWatch(link);
  assert.equal(await watch.isGone(), false);
  // A symbolic link to itself makes each access fail with ELOOP. This error does not show whether the files exist, so
  // `isGone` must not change its answer.
  pointTo(link, link);
  assert.equal(await watch.isGone(), false);
  pointTo(link, directory);
  rmSync(join(directory, 'CURRENT'));
  assert.equal(await watch.isGone(), true);
  pointTo(link, link);
  assert.equal(await watch.isGone(), true);
});

test('FileWatch (detects replaced store files) notices a new lock file even if its first check failed', async () => {
  const { directory, link } = linkedStore();
  pointTo(link, link);
  const watch = new FileWatch(link);
  assert.equal(await watch.isGone(), false);
  pointTo(link, directory);
  assert.equal(await watch.isGone(), false);
  replaceLock(directory);
  assert.equal(await watch.isGone(), true);
});

test('FileWatch.isGone() returns true if the store directory is missing or is now a file', async () => {
  const { link } = linkedStore();
  const watch = new FileWatch(link);
  assert.equal(await watch.isGone(), false);
  rmSync(link);
  assert.equal(await watch.isGone(), true);
  writeFileSync(link, '');
  assert.equal(await new FileWatch(link).isGone(), true);
});
