import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { maskedCrc32c } from '../../../../core/store/leveldb/crc32c.ts';
import { readLog } from '../../../../core/store/leveldb/log-file.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { boot } from './booted.ts';
import { contents, copyOf, ended, now, whole } from './store-templates.ts';

const BLOCK = 32 * 1024;
const HEADER = 7;
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4];

/** Writes records to a new file in LevelDB's log format. Returns the bytes of the file. */
function logOf(records: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const record of records) {
    for (let from = 0, isFirst = true; isFirst || from < record.length; isFirst = false) {
      const left = BLOCK - (at % BLOCK);
      if (left < HEADER) {
        parts.push(Buffer.alloc(left));
        at += left;
      }
      const content = record.subarray(from, from + BLOCK - (at % BLOCK) - HEADER);
      from += content.length;
      const isLast = from === record.length;
      const fragment = Buffer.concat([Buffer.alloc(HEADER), content]);
      fragment.writeUInt16LE(content.length, 4);
      fragment[6] = isFirst ? (isLast ? FULL : FIRST) : isLast ? LAST : MIDDLE;
      fragment.writeUInt32LE(maskedCrc32c(fragment, 6, fragment.length), 0);
      parts.push(fragment);
      at += fragment.length;
    }
  }
  return Buffer.concat(parts);
}

function read(log: Buffer): { records: string[]; damagedAt: number | undefined } {
  const path = join(scratchDirectory(), 'log');
  writeFileSync(path, log);
  const records: string[] = [];
  const damagedAt = readLog(path, record => void records.push(record.toString('hex')));
  return { records, damagedAt };
}

const hexOf = (records: readonly Buffer[]): string[] => records.map(record => record.toString('hex'));

test('readLog (reads LevelDB logs) reads records that end 0 to 14 bytes before the end of a block, and records that span many blocks', () => {
  for (let left = 0; left <= 2 * HEADER; left++) {
    const first = randomBytes(BLOCK - HEADER - left);
    const records = [first, randomBytes(3), randomBytes(100_000), Buffer.alloc(0), randomBytes(40)];
    assert.deepEqual(read(logOf(records)), { records: hexOf(records), damagedAt: undefined }, `${left} left`);
  }
});

test('readLog (reads LevelDB logs) reports damage only if intact data follows the damaged bytes', () => {
  const records = Array.from({ length: 8 }, () => randomBytes(20_000));
  const intact = logOf(records);
  // Overwrites the first 100 bytes of the third record of the log. This record begins in the second block of the log.
  const at = 40_000 + 3 * HEADER;
  const damaged = Buffer.from(intact).fill(0, at, at + 100);
  assert.deepEqual(read(damaged), { records: hexOf(records.slice(0, 2)), damagedAt: at });
  // Builds a log that is damaged up to the end of its fifth block (of 32 KiB). Only one intact record follows the
  // damaged bytes. readLog must notice this record and report the damage.
  const later = Buffer.concat([
    intact.subarray(0, at),
    Buffer.alloc(5 * BLOCK - at),
    logOf([randomBytes(9)]),
  ]);
  assert.deepEqual(read(later), { records: hexOf(records.slice(0, 2)), damagedAt: at });
  const torn = Buffer.concat([intact.subarray(0, at), Buffer.alloc(5 * BLOCK)]);
  assert.deepEqual(read(torn), { records: hexOf(records.slice(0, 2)), damagedAt: undefined });
  assert.deepEqual(read(intact.subarray(0, at + 500)), {
    records: hexOf(records.slice(0, 2)),
    damagedAt: undefined,
  });
});

test('when the core starts, it opens the manifest and the log of LevelDB only once each, and reads them in pieces', async t => {
  const copy = copyOf(ended);
  const { readFileSync, openSync } = fs;
  const opened: string[] = [];
  const isLog = (path: unknown): boolean => /MANIFEST-\d+$|\.log$/.test(String(path));
  t.mock.method(fs, 'readFileSync', (...args: Parameters<typeof readFileSync>) => {
    assert.ok(!isLog(args[0]), `reads ${args[0]} as a whole`);
    return readFileSync(...args);
  });
  t.mock.method(fs, 'openSync', (...args: Parameters<typeof openSync>) => {
    if (isLog(args[0])) opened.push(basename(String(args[0])));
    return openSync(...args);
  });
  syncBuiltinESMExports();
  const booted = await boot(copy, now).finally(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  assert.equal(await contents(booted), whole);
  await booted.close();
  assert.equal(opened.filter(name => name.startsWith('MANIFEST')).length, 1, opened.join());
  assert.equal(opened.length, 2, opened.join());
});
