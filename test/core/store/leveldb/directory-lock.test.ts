import assert from 'node:assert/strict';
import { cpSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DirectoryLock } from '../../../../core/store/leveldb/directory-lock.ts';
import { createLogger } from '../../../../runtime/log.ts';
import { scriptArguments } from '../../../../runtime/script.ts';
import { Child } from '../../../system/child.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { until } from '../../../system/until.ts';

const HOLDER = fileURLToPath(new URL('lock-holder.ts', import.meta.url));
const skip = process.platform !== 'linux';

async function take(directory: string, id: string): Promise<DirectoryLock> {
  const lock = await DirectoryLock.take(directory, id, createLogger('core', 'silent'));
  assert.ok(lock);
  return lock;
}

/** Locks a data directory and releases the lock. Returns the id of the core that had this lock before. */
async function formerOf(directory: string, id: string): Promise<string | undefined> {
  const lock = await take(directory, id);
  await lock.release();
  return lock.former;
}

test('each core that locks a data directory learns the id of the core that had the directory before', {
  skip,
}, async () => {
  const directory = join(scratchDirectory(), 'data');
  assert.equal(await formerOf(directory, 'first'), undefined);
  assert.equal(await formerOf(directory, 'second'), 'first');
  assert.equal(await formerOf(directory, 'third'), 'second');
});

test('a paused process keeps the lock of its data directory, and a killed process no longer has the lock', {
  skip,
}, async () => {
  const directory = scratchDirectory();
  const holder = await Child.start(process.execPath, () => [...scriptArguments(HOLDER), directory, 'first']);
  try {
    await until(
      'a locked directory',
      () => holder.output,
      output => output === 'locked\n',
    );
    holder.signal('SIGSTOP');
    assert.equal(await DirectoryLock.take(directory, 'second', createLogger('core', 'silent')), undefined);
    await holder.stop('SIGKILL');
    assert.equal(await formerOf(directory, 'third'), 'first');
  } finally {
    await holder.stop('SIGKILL');
  }
});

test('a core that locks a copy of a data directory does not learn the id of the core that uses the original directory', {
  skip,
}, async () => {
  const original = scratchDirectory();
  const lock = await take(original, 'first');
  const copy = join(scratchDirectory(), 'copy');
  cpSync(original, copy, { recursive: true });
  assert.equal(await formerOf(copy, 'second'), undefined);
  await lock.release();
  const moved = join(scratchDirectory(), 'moved');
  renameSync(original, moved);
  assert.equal(await formerOf(moved, 'third'), 'first');
});

test('a damaged lock directory can be locked, but the id of its previous core is unknown', {
  skip,
}, async () => {
  const directory = scratchDirectory();
  assert.equal(await formerOf(directory, 'first'), undefined);
  const folder = join(directory, 'member');
  for (const name of readdirSync(folder)) if (name !== 'LOCK') writeFileSync(join(folder, name), 'damage');
  const { ino } = statSync(join(folder, 'LOCK'));
  assert.equal(await formerOf(directory, 'second'), undefined);
  // Checks that `LOCK` is still the same file (inode). If the file were replaced, two processes could both lock it.
  assert.equal(statSync(join(folder, 'LOCK')).ino, ino);
  assert.equal(await formerOf(directory, 'third'), 'second');
});

test('a core works without a lock if it cannot create the lock directory', { skip }, async () => {
  const file = join(scratchDirectory(), 'file');
  writeFileSync(file, '');
  assert.equal(await DirectoryLock.take(file, 'first', createLogger('core', 'silent')), undefined);
});
