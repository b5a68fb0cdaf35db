import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeRecord } from '../../../../core/servers/record-codec.ts';
import { newRecord } from '../../../../core/servers/record-status.ts';
import { checksumOf } from '../../../../core/store/set-digest.ts';
import { randomNumbers } from '../../../system/random-numbers.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { type Booted, boot } from './booted.ts';
import {
  address,
  at,
  contents,
  copyOf,
  ended,
  isDamage,
  now,
  settledCopyOf,
  whole,
} from './store-templates.ts';

const filesOf = (directory: string, kind: RegExp): string[] =>
  readdirSync(directory)
    .filter(name => kind.test(name))
    .map(name => join(directory, name));
const one = (directory: string, kind: RegExp): string => {
  const [file] = filesOf(directory, kind);
  assert.ok(file);
  return file;
};
const flip = (file: string, offset: number): void => {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 0x10;
  writeFileSync(file, bytes);
};

test('if the LevelDB manifest is truncated, the core does not start and keeps the other store files', async () => {
  const directory = scratchDirectory();
  const booted = await boot(directory, now);
  // Writes about 13 MB, more than the write buffer of LevelDB (4 MiB), so that LevelDB creates table files.
  for (let n = 0; n < 13_000; n += 500) {
    await booted.engine.commit(
      Array.from({ length: 500 }, (_, i) => {
        const record = newRecord('csgo', address(n + i), 'tok_1', at, 60_000);
        const value = encodeRecord({ ...record, data: randomBytes(1000) });
        return { type: 'put', key: `s/${record.key}`, value, adds: checksumOf(record.key) };
      }),
    );
  }
  const found = settledCopyOf(directory);
  await booted.close();
  const manifest = one(found, /^MANIFEST/);
  const { size } = statSync(manifest);
  for (const length of [0.9, 0.7, 0.5].map(part => Math.floor(size * part))) {
    const copy = copyOf(found);
    truncateSync(one(copy, /^MANIFEST/), length);
    const files = filesOf(copy, /\.(log|ldb)$/).map(path => [path, readFileSync(path)] as const);
    await assert.rejects(boot(copy, now), isDamage(/./));
    const opened = filesOf(copy, /^found$/).length > 0;
    for (const [path, bytes] of files) {
      const kept = opened ? join(copy, 'found', path.slice(copy.length + 1)) : path;
      assert.ok(readFileSync(kept).equals(bytes), kept);
    }
    await assert.rejects(boot(copy, now), isDamage(/./), 'and it stays refused');
  }
});

test('if a LevelDB file is missing, the core reports this and does not create a new store', async () => {
  const gone: [kind: RegExp, message: RegExp][] = [
    [/\.ldb$/, /missing/],
    [/\.log$/, /the log \d+ is missing/],
    [/^MANIFEST/, /its file MANIFEST-\d+ is missing/],
    [/^CURRENT$/, /its file CURRENT is missing, but \d+ data files exist/],
    [/^(CURRENT|MANIFEST.*|.*\.ldb|.*\.log)$/, /all data files are missing/],
  ];
  for (const [kind, message] of gone) {
    const copy = copyOf(ended);
    for (const file of filesOf(copy, kind)) rmSync(file);
    await assert.rejects(boot(copy, now), isDamage(message));
    await assert.rejects(boot(copy, now), isDamage(message), 'again');
  }
});

test('if a store file is truncated or has a flipped bit, the core either does not start or loads all data', async t => {
  const random = randomNumbers(7);
  let refused = 0;
  for (let round = 0; round < 60; round++) {
    const copy = copyOf(ended);
    const files = filesOf(copy, /^(CURRENT|MANIFEST.*|.*\.ldb|.*\.log)$/);
    const file = files[random(files.length)] ?? '';
    const { size } = statSync(file);
    const offset = random(size);
    if (round % 3 === 0) truncateSync(file, offset);
    else flip(file, offset);
    const what = `${round % 3 === 0 ? 'cut' : 'flipped'} at ${offset} of ${size}: ${file}`;
    let booted: Booted;
    try {
      booted = await boot(copy, now);
    } catch (error) {
      assert.ok(error instanceof Error && error.name === 'StoreDamage', `${what}: ${error}`);
      refused++;
      continue;
    }
    // The core has loaded the store despite the damage. `corrupt` contains the keys of the entries that the core
    // dropped. It may drop only entries about token usage. If it dropped none, the store must contain all data.
    if (booted.corrupt.length === 0) assert.equal(await contents(booted), whole, what);
    await booted.close();
  }
  t.diagnostic(`${refused} of 60 refused`);
  assert.ok(refused > 30);
});
