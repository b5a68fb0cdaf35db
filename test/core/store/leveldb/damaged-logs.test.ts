import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeRecord } from '../../../../core/servers/record-codec.ts';
import { readLog } from '../../../../core/store/leveldb/log-file.ts';
import { boot } from './booted.ts';
import { contents, copyOf, ended, isDamage, killed, now, settledCopyOf, whole } from './store-templates.ts';

function one(directory: string, kind: RegExp): string {
  const names = readdirSync(directory).filter(name => kind.test(name));
  assert.equal(names.length, 1, names.join());
  return join(directory, names[0] ?? '');
}

function change(file: string, by: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  by(bytes);
  writeFileSync(file, bytes);
}

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
    const records = recordsOf(one(template, /\.log$/));
    assert.ok(records.length >= 3);
    for (const record of records) {
      const copy = copyOf(template);
      const at = record.at + (record.length >> 1);
      change(one(copy, /\.log$/), bytes => void bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at));
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
  change(one(left, /\.log$/), bytes => void bytes.writeUInt8(bytes.readUInt8(20_000) ^ 1, 20_000));
  await assert.rejects(boot(left, now), isDamage(/the log \d+\.log is damaged at byte \d+/));
});

test('the core does not start if acknowledged writes are missing at the end of the LevelDB log', async () => {
  for (const template of [ended, killed]) {
    for (const { at } of recordsOf(one(template, /\.log$/))) {
      const copy = copyOf(template);
      // Removes this record and all later records from the log. The record begins 7 bytes before `at`, because its
      // header of 7 bytes ends at `at`.
      truncateSync(one(copy, /\.log$/), at - 7);
      await assert.rejects(boot(copy, now), isDamage(/newest writes are missing/));
    }
  }
});

test('the core starts if the LevelDB log ends with an incomplete write, as after a power cut', async () => {
  const fragment = readFileSync(one(killed, /\.log$/));
  for (const torn of [fragment.subarray(0, 5), fragment.subarray(0, 40), Buffer.alloc(10_000)]) {
    const copy = copyOf(killed);
    appendFileSync(one(copy, /\.log$/), torn);
    await assertWhole(copy);
  }
});

test('the core does not start if the first write is missing in the LevelDB log', async () => {
  const copy = copyOf(killed);
  const log = one(copy, /\.log$/);
  const [, second] = recordsOf(log);
  assert.ok(second);
  // Removes the first write, which is at the beginning of the log.
  writeFileSync(log, readFileSync(log).subarray(second.at - 7));
  await assert.rejects(boot(copy, now), isDamage(/writes are missing in or before the log \d+\.log/));
});

test('the core does not start if two intact LevelDB table files have swapped names', async () => {
  const copy = copyOf(ended);
  const tablesOf = () => readdirSync(copy).filter(name => name.endsWith('.ldb'));
  // Starts and stops the store repeatedly, until it has two table files. Each start moves the writes from the log of
  // the store to a new table file.
  for (let round = 0; tablesOf().length < 2; round++) {
    assert.ok(round < 5);
    await (await boot(copy, now)).close();
  }
  const tables = tablesOf();
  const [a = '', b = ''] = tables.map(name => join(copy, name));
  renameSync(a, `${copy}/kept`);
  renameSync(b, a);
  renameSync(`${copy}/kept`, b);
  await assert.rejects(
    boot(copy, now),
    isDamage(/the table \d+\.ldb does not match its checksums or the manifest/),
  );
});

test('the core does not start if the store file CURRENT or gsq.json is empty or damaged', async () => {
  for (const [name, content, message] of [
    ['CURRENT', '', /its file CURRENT does not contain the name of a manifest/],
    ['CURRENT', 'MANIFEST-000001', /its file CURRENT does not contain the name of a manifest/],
    ['CURRENT', '../MANIFEST-000001\n', /its file CURRENT does not contain the name of a manifest/],
    ['gsq.json', '', /its file gsq\.json is empty or damaged/],
    ['gsq.json', '{"schema":3}', /its file gsq\.json is empty or damaged/],
    ['gsq.json', 'null', /its file gsq\.json is empty or damaged/],
    ['gsq.json', undefined, /its file gsq\.json is missing/],
  ] as const) {
    const copy = copyOf(ended);
    if (content === undefined) rmSync(join(copy, name));
    else writeFileSync(join(copy, name), content);
    await assert.rejects(boot(copy, now), isDamage(message), `${name}: ${content}`);
  }
});

test('the core starts only with complete data if the LevelDB manifest is truncated or contains zeros', async () => {
  const size = statSync(one(ended, /^MANIFEST/)).size;
  for (let at = 0; at < size; at += 16) {
    for (const act of ['cut', 'zeroed']) {
      const copy = copyOf(ended);
      const manifest = one(copy, /^MANIFEST/);
      if (act === 'cut') truncateSync(manifest, at);
      else change(manifest, bytes => void bytes.fill(0, at, Math.min(at + 16, size)));
      const booted = await boot(copy, now).catch(isDamage(/./));
      if (typeof booted === 'boolean') continue;
      assert.equal(await contents(booted), whole, `${act} at ${at} of ${size}`);
      await booted.close();
    }
  }
});

test('while the store is open, its checkpoint (gsq.json) contains the sequence number of the newest acknowledged write', async () => {
  const copy = copyOf(ended);
  const sequence = (): number => JSON.parse(readFileSync(join(copy, 'gsq.json'), 'utf8')).sequence;
  const booted = await boot(copy, now);
  const before = sequence();
  await booted.store.remove(['csgo 203.0.0.2:27015']);
  assert.equal(sequence(), before + 1);
  await booted.close();
});
