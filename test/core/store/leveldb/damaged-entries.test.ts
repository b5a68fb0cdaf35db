import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addChecksum } from '../../../../core/store/checksummed.ts';
import { LevelDbStore } from '../../../../core/store/leveldb/leveldb-store.ts';
import { boot } from './booted.ts';
import { at, copyOf, ended, isDamage, now } from './store-templates.ts';

test('the core does not start if an intact server record is stored under a wrong key', async () => {
  const copy = copyOf(ended);
  const engine = await LevelDbStore.open(copy, error => assert.fail(error));
  let moved: Buffer | undefined;
  for await (const [, value] of engine.entries('s/csgo 203.0.0.2:')) moved = value;
  assert.ok(moved);
  await engine.commit([
    { type: 'del', key: 's/csgo 203.0.0.2:27015' },
    { type: 'put', key: 's/csgo 203.0.0.2:27016', value: moved },
  ]);
  await engine.close();
  await assert.rejects(boot(copy, now), isDamage(/some of its 399 servers differ from the written ones/));
});

test('the core does not start if a stored token was replaced by an older version with a correct checksum', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const [revoked] = booted.tokens.list().filter(token => token.revokedAt !== 0);
  assert.ok(revoked);
  const key = `t/${revoked.id}`;
  const value = addChecksum(key, Buffer.from(JSON.stringify({ ...revoked, revokedAt: 0 })));
  await booted.engine.commit([{ type: 'put', key, value }]);
  await booted.close();
  await assert.rejects(boot(copy, now), isDamage(/some of its 3 tokens differ from the written ones/));
});

test('the core does not start with damaged records or tokens, and its error lists up to ten of them', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const damaged: { type: 'put'; key: string; value: Buffer }[] = [];
  for await (const [key, value] of booted.engine.entries('s/csgo')) {
    if (damaged.length === 12) break;
    value[value.length - 1] = (value[value.length - 1] ?? 0) ^ 1;
    damaged.push({ type: 'put', key, value });
  }
  await booted.engine.commit(damaged);
  await booted.close();
  await assert.rejects(
    boot(copy, now),
    isDamage(
      /"csgo 203\.0\.0\.100:27015" does not match its checksum; (?:the stored record of .*; ){9}and 2 more\./,
    ),
  );
  const tokens = copyOf(ended);
  const second = await boot(tokens, now);
  await second.engine.commit([{ type: 'put', key: 't/tok_torn', value: Buffer.from('{"id":') }]);
  await second.close();
  await assert.rejects(
    boot(tokens, now),
    isDamage(/the stored token "tok_torn" does not match its checksum/),
  );
});

test('when the core starts, it deletes and reports token usage entries with a wrong checksum', async () => {
  const copy = copyOf(ended);
  const booted = await boot(copy, now);
  const [token, other] = booted.tokens.list();
  assert.ok(token && other);
  const minute = Math.floor(at / 60_000);
  const torn = [`q/${token.id}/${minute}`, `u/${token.id}`];
  await booted.engine.commit(
    torn.map(key => ({
      type: 'put',
      key,
      value: addChecksum('another', Buffer.alloc(key.startsWith('q') ? 4 : 8)),
    })),
  );
  await booted.close();
  const again = await boot(copy, now);
  assert.deepEqual(again.corrupt, torn);
  assert.deepEqual([again.quota.used(token.id), again.lastUse.at(token.id)], [0, 0]);
  assert.deepEqual([again.quota.used(other.id), again.lastUse.at(other.id)], [1, at]);
  await again.close();
  const third = await boot(copy, now);
  assert.deepEqual(third.corrupt, [], 'told once');
  await third.close();
});
