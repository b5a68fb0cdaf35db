import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import { HookFeed } from '../../../core/cluster/hook-feed.ts';
import type { Transition } from '../../../core/feed/transition.ts';
import { type State, stateOf } from './feed-reader.ts';
import { threeCores, until } from './three-cores.ts';

/** A fake in place of the webhooks of a core. Records the changes of the game servers whose keys are in `keys`. */
class FakeHooks {
  readonly keys = new Set<string>();
  readonly noted: [string, State, State][] = [];
  readonly webhooks = {
    size: 0,
    follows: (key: string) => this.keys.has(key),
    followedKeys: () => this.keys,
    followedGames: () => [],
  };
  readonly note = ({ key, before, after }: Transition): void => {
    if (this.keys.has(key)) this.noted.push([key, stateOf(before), stateOf(after)]);
  };
}

test('webhooks get the changes of their servers from all cores, each with the state of the server before the change', async t => {
  const { world, a, ofA, ofB, ofC } = await threeCores(t);
  const hooks = new FakeHooks();
  const hookFeed = new HookFeed(a.feed, world.later);
  t.after(() => hookFeed.close());
  hookFeed.start(hooks);
  world.probe(ofB[0] ?? '', 2);
  await new Promise(setImmediate);
  assert.equal(a.feed.feed.sequence, 0);
  for (const [key = ''] of [ofA, ofB, ofC]) hooks.keys.add(key);
  hooks.webhooks.size = 1;
  await until(() => a.feed.feed.isGapless);
  for (const [key = ''] of [ofA, ofB, ofC]) world.probe(key, 3);
  await until(() => hooks.noted.length >= 3);
  assert.deepEqual(
    hooks.noted.sort(),
    [
      [ofA[0], 1, 3],
      [ofB[0], 2, 3],
      [ofC[0], 1, 3],
    ].sort(),
  );
});

test('after its registration, the first webhook of a cluster gets all changes of its servers, even on other cores', async t => {
  const { world, a, ofA, ofB, ofC } = await threeCores(t);
  const hooks = new FakeHooks();
  const hookFeed = new HookFeed(a.feed, world.later);
  t.after(() => hookFeed.close());
  hookFeed.start(hooks);
  for (const [key = ''] of [ofA, ofB, ofC]) hooks.keys.add(key);
  hooks.webhooks.size = 1;
  await hookFeed.follow();
  for (const [key = ''] of [ofA, ofB, ofC]) world.probe(key, 3);
  await until(() => hooks.noted.length >= 3);
  assert.deepEqual(hooks.noted.sort(), [ofA, ofB, ofC].map(([key]) => [key, 1, 3]).sort());
});

test('after a broken stream between cores, webhooks get the missed changes of a server as a single change', async t => {
  const { world, a, b, c, ofB } = await threeCores(t);
  const [key = ''] = ofB;
  const hooks = new FakeHooks();
  hooks.keys.add(key);
  hooks.webhooks.size = 1;
  const hookFeed = new HookFeed(a.feed, world.later);
  t.after(() => hookFeed.close());
  hookFeed.start(hooks);
  await until(() => world.reads >= 1 && a.feed.feed.isGapless);
  await until(() => a.feed.newestOf(key) !== 'unread');
  world.stopStreams(b);
  world.probe(key, 5);
  world.kill(b);
  for (const [bucket, owner] of world.owners.entries()) if (!owner) world.move(bucket, c);
  a.view.update();
  await until(() => hooks.noted.length >= 1);
  assert.deepEqual(hooks.noted, [[key, 1, 5]]);
});

test('HookFeed.recordOf() returns `unread` for a server of another core if the record is missing or may be outdated', async t => {
  const { world, a, b, ofA, ofB } = await threeCores(t);
  const [key = ''] = ofB;
  const hooks = new FakeHooks();
  hooks.webhooks.size = 1;
  const hookFeed = new HookFeed(a.feed, world.later);
  t.after(() => hookFeed.close());
  hookFeed.start(hooks);
  await until(() => a.feed.feed.isGapless);
  assert.equal(stateOf(asRecord(hookFeed.recordOf(ofA[0] ?? ''))), 1);
  assert.equal(hookFeed.recordOf(key), 'unread');
  await until(() => hookFeed.recordOf(key) !== 'unread');
  assert.equal(stateOf(asRecord(hookFeed.recordOf(key))), 1);
  const untracked = 'csgo 127.9.9.9:1';
  const isOwn = world.owners[bucketOfServer(untracked)] === a;
  await until(() => hookFeed.recordOf(untracked) !== 'unread');
  assert.equal(hookFeed.recordOf(untracked), undefined, isOwn ? 'own' : 'read');
  world.clock.at += 10_001;
  assert.equal(hookFeed.recordOf(key), 'unread');
  world.kill(b);
  a.view.update();
  await until(() => !a.feed.feed.isGapless);
  for (let turns = 0; turns < 20; turns++) {
    assert.equal(hookFeed.recordOf(key), 'unread');
    await new Promise(setImmediate);
  }
});

function asRecord(record: ReturnType<HookFeed['recordOf']>) {
  assert.ok(typeof record === 'object');
  return record;
}
