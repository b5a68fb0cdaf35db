import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { encodeRecord } from '../../../../core/servers/record-codec.ts';
import { readLog } from '../../../../core/store/leveldb/log-file.ts';
import { boot } from './booted.ts';
import { changeBytes, onlyFile } from './store-file-changes.ts';
import { contents, copyOf, ended, isDamage, killed, now, settledCopyOf, whole } from './store-templates.ts';

/**
 * Returns the offset and the length of each log record, without its header of 7 bytes. The log must be shorter than one
 * block (32 KiB).
 */
function recordsOf(path: string): { at: number; length: number }[] {
  assert.ok(statSync(path).size < 32 * 1024);
  const records: { at: number; length: number }[] = [];
  let end = 0;
  readLog(path, ({ length }) => {
    records.push({ at: end + 7, length });
    end += 7 + length;
  });
  return records;
}

/**
 * Opens a copy of an example store as a core does when it starts. Fails if any data of the example store is missing or
 * different.
 */
async function assertWhole(directory: string): Promise<void> {
  const booted = await boot(directory, now);
  assert.equal(await contents(booted), whole);
  await booted.close();
}

test('the core does not start if any write in the LevelDB log has a flipped bit', async () => {
  for (const template of [ended, killed]) {
    const records = recordsOf(onlyFile(template, /\.log$/));
    assert.ok(records.length >= 3);
    for (const record of records) {
      const copy = copyOf(template);
      const at = record.at + (record.length >> 1);
      changeBytes(onlyFile(copy, /\.log$/), bytes => void bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at));
      await assert.rejects(boot(copy, now), isDamage(/the log \d+\.log is damaged at byte|newest writes/));
    }
  }
});

test('the core detects damage in an early block of a long LevelDB log, which LevelDB itself would ignore', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const [server] = await booted.store.list('css', '', 1);
  assert.ok(server);
  // Writes one server so often that the log has several blocks of 32 KiB. Later, the test flips one bit in an early
  // block.
  for (let n = 0; n < 100; n++) {
    const value = encodeRecord({ ...server, version: n, data: randomBytes(1_000) });
    await booted.engine.commit([{ type: 'put', key: `s/${server.key}`, value }]);
  }
  const left = settledCopyOf(copy);
  await booted.close();
  // Only the checksums of the log can detect a changed byte of server data, because the digests of the store do not
  // include server data.
  changeBytes(onlyFile(left, /\.log$/), bytes => void bytes.writeUInt8(bytes.readUInt8(20_000) ^ 1, 20_000));
  await assert.rejects(boot(left, now), isDamage(/the log \d+\.log is damaged at byte \d+/));
});

test('the core does not start if acknowledged writes are missing at the end of the LevelDB log', async () => {
  for (const template of [ended, killed]) {
    for (const { at } of recordsOf(onlyFile(template, /\.log$/))) {
      const copy = copyOf(template);
      // Removes this record and all later records from the log. The record begins 7 bytes before `at`, because its
      // header of 7 bytes ends at `at`.
      truncateSync(onlyFile(copy, /\.log$/), at - 7);
      await assert.rejects(boot(copy, now), isDamage(/newest writes are missing/));
    }
  }
});

test('the core starts if the LevelDB log ends with an incomplete write, as after a power cut', async () => {
  const fragment = readFileSync(onlyFile(killed, /\.log$/));
  for (const torn of [fragment.subarray(0, 5), fragment.subarray(0, 40), Buffer.alloc(10_000)]) {
    const copy = copyOf(killed);
    appendFileSync(onlyFile(copy, /\.log$/), torn);
    await assertWhole(copy);
  }
});

test('the core does not start if the first write is missing in the LevelDB log', async () => {
  const copy = copyOf(killed);
  const log = onlyFile(copy, /\.log$/);
  const [, second] = recordsOf(log);
  assert.ok(second);
  // Removes the first write, which is at the beginning of the log.
  writeFileSync(log, readFileSync(log).subarray(second.at - 7));
  await assert.rejects(boot(copy, now), isDamage(/writes are missing in or before the log \d+\.log/));
});
