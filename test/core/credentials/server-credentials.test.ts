import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { credentialsEntry } from '../../../core/credentials/credentials-entry.ts';
import { CredentialsKey } from '../../../core/credentials/credentials-key.ts';
import { ServerCredentials } from '../../../core/credentials/server-credentials.ts';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { openEngine } from '../scratch-store.ts';
import { boot } from '../store/leveldb/booted.ts';

const KEY = 'palworld 203.0.113.1:8212';
const OTHER = 'palworld 203.0.113.2:8212';
const SECRET = 'a secret of this test';
const options = (...entries: [string, string][]) => new Map(entries);

/** Creates an empty data directory, and opens its store and its credentials. */
async function opened(t: TestContext) {
  const directory = scratchDirectory();
  const engine = await openEngine(t, join(directory, 'leveldb'));
  return { directory, engine, credentials: await ServerCredentials.load(engine, directory) };
}

async function stored(engine: LevelDbStore): Promise<Map<string, Buffer>> {
  const all = new Map<string, Buffer>();
  for await (const [key, value] of engine.entries('c/')) all.set(key, value);
  return all;
}

test('the secret and the options of a server can be stored, changed separately and removed', async t => {
  const { directory, engine, credentials } = await opened(t);
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

test('the store contains no credentials in plain text, and the credentials key is created with the first credentials', async t => {
  const { directory, engine, credentials } = await opened(t);
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

test('a start fails with advice if the credentials key is missing or belongs to another data directory', async t => {
  const { directory, engine, credentials } = await opened(t);
  await credentials.changeAccess([KEY], { secret: SECRET, options: options() });
  const path = join(directory, 'credentials.key');
  const kept = join(scratchDirectory(), 'kept');
  cpSync(path, kept);
  const remedy = /restore the file.*gsq restore <file> --no-credentials/;
  for (const [what, spoil] of [
    [/credentials\.key is gone, .* of 1 servers/, () => {}],
    [/credentials\.key is not the key that encrypted .* of 1 servers/, () => CredentialsKey.make(directory)],
  ] as const) {
    rmSync(path);
    spoil();
    const refused = (error: Error) => what.test(error.message) && remedy.test(error.message);
    await assert.rejects(ServerCredentials.load(engine, directory), error => {
      assert.ok(error instanceof Error && error.name === 'ConfigError' && refused(error), String(error));
      return true;
    });
    cpSync(kept, path);
    assert.equal((await ServerCredentials.load(engine, directory)).get(KEY)?.secret, SECRET);
  }
});

test('a start fails if the stored credentials of a server were changed, truncated or copied from another server', async t => {
  const { directory, engine, credentials } = await opened(t);
  const dropped = (error: Error) => error.name === 'StoreDamage' && !error.message.includes(SECRET);
  await credentials.changeAccess([KEY, OTHER], { secret: SECRET, options: options() });
  const now = (await stored(engine)).get(`c/${KEY}`);
  const encrypted = credentials.encryptedOf(KEY);
  const others = credentials.encryptedOf(OTHER);
  assert.ok(now && encrypted && others);
  const tampered = Buffer.from(encrypted);
  tampered[30] = (tampered[30] ?? 0) ^ 1;
  const put = (value: Buffer) => ({ type: 'put' as const, key: `c/${KEY}`, value });
  for (const operation of [
    // The first two entries have a correct checksum, so only the decryption can detect the change.
    put(credentialsEntry(KEY, others).value),
    put(credentialsEntry(KEY, tampered).value),
    put(Buffer.from(now).fill(0, now.length - 1)),
    put(Buffer.from(now).fill(0, 5)),
    put(now.subarray(0, 20)),
  ]) {
    await engine.commit([operation]);
    await assert.rejects(ServerCredentials.load(engine, directory), dropped);
  }
  await engine.commit([put(now)]);
  assert.equal((await ServerCredentials.load(engine, directory)).size, 2);
});

test('a start fails if stored credentials are missing or were replaced by an older version', async () => {
  const { now } = clockAt();
  const directory = scratchDirectory();
  for (const [spoil, message] of [
    [undefined, /1 of its 1 credentials of servers are missing/],
    ['older', /some of its 1 credentials of servers are others than were written/],
  ] as const) {
    const home = join(directory, String(spoil));
    const booted = await boot(home, now);
    await booted.credentials.changeAccess([KEY], { secret: SECRET, options: options() });
    const older = (await stored(booted.engine)).get(`c/${KEY}`);
    await booted.credentials.changeAccess([KEY], { secret: 'newer', options: options() });
    assert.ok(older);
    // Deletes or replaces the entry without updating the digest of all credentials, as damage on the disk
    // would do.
    const key = `c/${KEY}`;
    await booted.engine.commit([spoil ? { type: 'put', key, value: older } : { type: 'del', key }]);
    await booted.close();
    await assert.rejects(boot(home, now), { name: 'StoreDamage', message });
  }
});

test('the removal of servers returns the write operations that delete the credentials of these servers only', async t => {
  const { directory, engine, credentials } = await opened(t);
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

/**
 * Replaces the commits of an engine. Each commit waits until the test ends it, with or without an error.
 * Returns the functions that end the commits.
 */
function heldCommits(t: TestContext, engine: LevelDbStore): ((error?: Error) => Promise<void>)[] {
  const commits: ((error?: Error) => Promise<void>)[] = [];
  t.mock.method(engine, 'commit', () => {
    return new Promise<void>((resolve, reject) => {
      commits.push(async error => {
        if (error) reject(error);
        else resolve();
        await new Promise(setImmediate);
      });
    });
  });
  return commits;
}

const LOST = new Error('the disk is gone');

for (const [first, second, kept] of [
  [undefined, undefined, 'second'],
  [undefined, LOST, 'first'],
  [LOST, undefined, 'second'],
  [LOST, LOST, SECRET],
] as const) {
  const story = `${first ? 'fails' : 'is stored'} and the second ${second ? 'fails' : 'is stored'}`;
  test(`if the first of two concurrent credential changes ${story}, leases contain the credentials that were stored last`, async t => {
    const { engine, credentials } = await opened(t);
    await credentials.changeAccess([KEY], { secret: SECRET, options: options() });
    const commits = heldCommits(t, engine);
    const changes = Promise.allSettled(
      ['first', 'second'].map(secret => credentials.changeAccess([KEY], { secret, options: options() })),
    );
    assert.equal(credentials.get(KEY)?.secret, 'second', 'leases have it at once');
    await commits[0]?.(first);
    assert.equal(credentials.get(KEY)?.secret, 'second', 'as long as it is being written');
    await commits[1]?.(second);
    assert.deepEqual(
      (await changes).map(({ status }) => status),
      [first, second].map(error => (error ? 'rejected' : 'fulfilled')),
    );
    assert.equal(credentials.get(KEY)?.secret, kept);
  });
}

test('a change of credentials that ends after the removal of the server does not restore the credentials', async t => {
  for (const error of [undefined, LOST]) {
    const { engine, credentials } = await opened(t);
    await credentials.changeAccess([KEY], { secret: SECRET, options: options() });
    const commits = heldCommits(t, engine);
    const change = credentials.changeAccess([KEY], { secret: 'newer', options: options() });
    const changed = Promise.allSettled([change]);
    credentials.dropAccess([KEY]);
    await commits[0]?.(error);
    await changed;
    assert.equal(credentials.get(KEY), undefined);
  }
});

test('a change of credentials that cannot be stored is rejected, and the server keeps its old credentials', async t => {
  const { engine, credentials } = await opened(t);
  await credentials.changeAccess([KEY], { secret: SECRET, options: options() });
  engine.pause('no room');
  await assert.rejects(credentials.changeAccess([KEY], { secret: 'newer', options: options() }), {
    name: 'NoWrites',
  });
  assert.equal(credentials.get(KEY)?.secret, SECRET);
  engine.pause(undefined);
  t.mock.method(engine, 'commit', async () => {
    throw new Error('the disk is gone');
  });
  const change = credentials.changeAccess([KEY, OTHER], { secret: 'newer', options: options() });
  assert.equal(credentials.get(OTHER)?.secret, 'newer', 'leases have it at once');
  await assert.rejects(change, /the disk is gone/);
  assert.deepEqual([credentials.get(KEY)?.secret, credentials.get(OTHER)], [SECRET, undefined]);
});
