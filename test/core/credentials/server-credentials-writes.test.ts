import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import { KEY, OTHER, openCredentials, options, SECRET } from './opened-credentials.ts';

/**
 * Replaces the method `commit` of a store by one that waits. Each function in the returned list completes one commit,
 * or lets it fail with the given error.
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
  const story = `first ${first ? 'fails' : 'is stored'}, second ${second ? 'fails' : 'is stored'}`;
  test(`after two concurrent credential changes of a server (${story}), probers get the credentials that were stored last`, async t => {
    const { engine, credentials } = await openCredentials(t);
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

test('credentials of a removed server stay deleted even if an earlier change of the credentials is still being written', async t => {
  for (const error of [undefined, LOST]) {
    const { engine, credentials } = await openCredentials(t);
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
  const { engine, credentials } = await openCredentials(t);
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
