import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import { KEY, OTHER, openCredentials, options, SECRET, stored } from './opened-credentials.ts';

test('the secret and the options of a server can be stored, changed separately and removed', async t => {
  const { directory, engine, credentials } = await openCredentials(t);
  assert.deepEqual(
    [credentials.size, credentials.get(KEY), credentials.namesOf(KEY)],
    [0, undefined, undefined],
  );
  await credentials.changeAccess([KEY, OTHER, KEY], {
    secret: SECRET,
    options: options(['username', 'ann']),
  });
  assert.deepEqual(credentials.get(KEY), { secret: SECRET, options: options(['username', 'ann']) });
  assert.deepEqual(credentials.namesOf(KEY), { secret: true, options: ['username'] });
  await credentials.changeAccess([KEY], { options: options(['query_port', '8300']) });
  await credentials.changeAccess([KEY], { secret: 'another', options: options(['username', '']) });
  assert.deepEqual(credentials.get(KEY), { secret: 'another', options: options(['query_port', '8300']) });
  const again = await ServerCredentials.load(engine, directory);
  assert.deepEqual(again.get(KEY), credentials.get(KEY));
  assert.deepEqual(again.get(OTHER), { secret: SECRET, options: options(['username', 'ann']) });
  await again.changeAccess([KEY], { secret: '', options: options(['query_port', '']) });
  assert.deepEqual(
    [again.get(KEY), again.size, [...(await stored(engine)).keys()]],
    [undefined, 1, [`c/${OTHER}`]],
  );
});

test('the store contains neither server credentials in plain text nor the key that encrypts them', async t => {
  const { directory, engine, credentials } = await openCredentials(t);
  await credentials.changeAccess([KEY], { secret: '', options: options(['username', '']) });
  assert.equal(existsSync(join(directory, 'credentials.key')), false);
  await credentials.changeAccess([KEY], {
    secret: SECRET,
    options: options(['username', 'a-name-of-this-test']),
  });
  const key = readFileSync(join(directory, 'credentials.key'));
  for (const value of (await stored(engine)).values())
    for (const clear of [SECRET, 'a-name-of-this-test', 'username', key.subarray(0, 32)])
      assert.ok(!value.includes(clear));
});

test('dropAccess(servers) returns write operations that delete only the credentials of these servers', async t => {
  const { directory, engine, credentials } = await openCredentials(t);
  await credentials.changeAccess([KEY, OTHER], { secret: SECRET, options: options() });
  const operations = credentials.dropAccess([KEY, 'palworld 203.0.113.9:8212']);
  assert.deepEqual(
    operations.map(({ type, key }) => [type, key]),
    [['del', `c/${KEY}`]],
  );
  assert.deepEqual([credentials.get(KEY), credentials.size], [undefined, 1]);
  await engine.commit(operations);
  assert.equal((await ServerCredentials.load(engine, directory)).size, 1);
});
