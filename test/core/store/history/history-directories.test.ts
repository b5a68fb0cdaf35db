import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HistoryDirectories } from '../../../../core/store/history/history-directories.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';

const KEY = Buffer.from('key');
/**
 * Paths of 47 LevelDB directories. HistoryDirectories keeps at most 40 idle directories open, so it must close some of
 * the 47.
 */
const PATHS = Array.from({ length: 47 }, (_, i) => `minutes/${i}`);

async function write(directories: HistoryDirectories, path: string): Promise<void> {
  await directories.write(path, db => db.writeDurably([{ type: 'put', key: KEY, value: Buffer.from(path) }]));
}

test('HistoryDirectories (opens LevelDB directories) does not hang if a directory is used again while it is being closed', async () => {
  const directories = new HistoryDirectories(scratchDirectory(), () => assert.fail('nothing is damaged'));
  for (const path of PATHS) await write(directories, path);
  // Reads a directory `times` times. After each read, HistoryDirectories starts to close directories if too many are
  // open. The next read begins before these directories are closed.
  const readOften = async (path: string, times: number): Promise<void> => {
    let next: Promise<void> | undefined;
    const values = await directories.read(path, async db => {
      const found = await db.getMany([KEY]);
      await setImmediate();
      if (times > 1) next = setImmediate().then(() => readOften(path, times - 1));
      return found;
    });
    assert.equal(values?.[0]?.toString(), path);
    await next;
  };
  await Promise.all(PATHS.map(path => readOften(path, 4)));
  await directories.close();
});

test('HistoryDirectories creates a directory again if a write arrives while the directory is being deleted', async () => {
  const directories = new HistoryDirectories(scratchDirectory(), () => assert.fail('nothing is damaged'));
  const path = 'minutes/0';
  await write(directories, path);
  const deleted = directories.delete(path);
  const read = directories.read(path, db => db.getMany([KEY]));
  const written = write(directories, path);
  assert.equal(await read, undefined);
  await Promise.all([deleted, written]);
  const values = await directories.read(path, db => db.getMany([KEY]));
  assert.equal(values?.[0]?.toString(), path);
  await directories.close();
});

test('HistoryDirectories (opens LevelDB directories) reopens a directory after a failed write, even during reads', async () => {
  const directories = new HistoryDirectories(scratchDirectory(), () => assert.fail('nothing is damaged'));
  const path = 'minutes/0';
  await write(directories, path);
  const opened = new Set<unknown>();
  let isDone = false;
  const readOn = async (): Promise<void> => {
    while (!isDone)
      await directories.read(path, async db => {
        opened.add(db);
        await db.getMany([KEY]);
      });
  };
  const readers = [readOn(), readOn()];
  await assert.rejects(
    directories.write(path, () => Promise.reject(new Error('IO error'))),
    /IO error/,
  );
  await write(directories, path);
  await directories.write(path, async db => {
    opened.add(db);
  });
  isDone = true;
  await Promise.all(readers);
  assert.equal(opened.size, 2);
  await directories.close();
});

test('HistoryDirectories syncs the parents of a new directory, because a power cut could otherwise remove the directory', async t => {
  const root = scratchDirectory();
  const directories = new HistoryDirectories(root, () => assert.fail('nothing is damaged'));
  const synced = new Set<number>();
  const { fsyncSync } = fs;
  t.mock.method(fs, 'fsyncSync', (file: number) => {
    synced.add(fs.fstatSync(file).ino);
    fsyncSync(file);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  await write(directories, 'minutes/0');
  assert.ok(synced.has(fs.statSync(root).ino) && synced.has(fs.statSync(join(root, 'minutes')).ino));
  await directories.close();
});

test('HistoryDirectories replaces a directory that cannot be opened, but only after writes to other directories have shown that the disk works', async () => {
  const root = scratchDirectory();
  const moved: string[] = [];
  const directories = new HistoryDirectories(root, path => moved.push(path));
  await write(directories, 'minutes/0');
  await directories.close();
  // Puts a directory in the place of a file that LevelDB must read, so LevelDB cannot open the database.
  fs.rmSync(join(root, 'minutes/0/CURRENT'));
  fs.mkdirSync(join(root, 'minutes/0/CURRENT'));
  const read = () => directories.read('minutes/0', db => db.getMany([KEY]));
  for (let i = 0; i < 30; i++) await assert.rejects(read(), /Is a directory/);
  for (let i = 0; i < 18; i++) {
    await write(directories, 'minutes/1');
    await assert.rejects(read(), /Is a directory/);
  }
  assert.deepEqual(moved, []);
  await write(directories, 'minutes/1');
  assert.equal(await read(), undefined);
  assert.deepEqual(moved, ['minutes/0']);
  assert.ok(directories.isLost('minutes/0') && !directories.has('minutes/0'));
  await directories.close();
});

test('if HistoryDirectories fails to delete a directory, the directory stays readable, and a second attempt can delete it', async () => {
  const root = scratchDirectory();
  const directories = new HistoryDirectories(root, () => assert.fail('nothing is damaged'));
  await write(directories, 'minutes/0');
  // Before HistoryDirectories deletes a directory, it moves the directory into the directory `deleted`. Here, `deleted`
  // is a file, so the move fails.
  fs.writeFileSync(join(root, 'deleted'), '');
  await assert.rejects(directories.delete('minutes/0'), /EEXIST|ENOTDIR/);
  const values = await directories.read('minutes/0', db => db.getMany([KEY]));
  assert.equal(values?.[0]?.toString(), 'minutes/0');
  fs.rmSync(join(root, 'deleted'));
  await directories.delete('minutes/0');
  assert.deepEqual(fs.readdirSync(join(root, 'minutes')), []);
  await directories.close();
});
