import assert from 'node:assert/strict';
import {
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
import { boot } from './booted.ts';
import { changeBytes, onlyFile } from './store-file-changes.ts';
import { contents, copyOf, ended, isDamage, now, whole } from './store-templates.ts';

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
  const size = statSync(onlyFile(ended, /^MANIFEST/)).size;
  for (let at = 0; at < size; at += 16) {
    for (const act of ['cut', 'zeroed']) {
      const copy = copyOf(ended);
      const manifest = onlyFile(copy, /^MANIFEST/);
      if (act === 'cut') truncateSync(manifest, at);
      else changeBytes(manifest, bytes => void bytes.fill(0, at, Math.min(at + 16, size)));
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
