import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DataDirectory } from '../../../core/ops/data-directory.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';

test('the disk usage contains the size of all files, including those in subdirectories, and the free space', async () => {
  const directory = scratchDirectory();
  mkdirSync(join(directory, 'leveldb'));
  writeFileSync(join(directory, 'token.key'), Buffer.alloc(32));
  writeFileSync(join(directory, 'leveldb', '000003.ldb'), Buffer.alloc(5_000));
  const { used, free, size } = await new DataDirectory(directory).usage();
  assert.equal(used, 5_032);
  assert.ok(free > 0 && size >= free, `${free} of ${size}`);
});

test('the sizes in the disk usage are NaN if the data directory is missing', async () => {
  const usage = await new DataDirectory(join(scratchDirectory(), 'gone')).usage();
  assert.deepEqual(usage, { used: Number.NaN, free: Number.NaN, size: Number.NaN });
});
