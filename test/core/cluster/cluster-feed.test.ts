import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import { type State, StreamReader } from './feed-reader.ts';
import type { WorldCore } from './feed-world.ts';
import { keysOf, threeCores, until, untilTrue } from './three-cores.ts';

for (const kind of ['servers', 'a game'] as const) {
  const followed = (keys: readonly string[]): readonly string[] | string =>
    kind === 'servers' ? keys : 'csgo';

  test(`a change stream of ${kind} on one core contains the changes on all cores, each of them once and in order`, async t => {
    const { world, a, all } = await threeCores(t);
    const reader = new StreamReader(a.feed, followed(all));
    await untilTrue(world, reader, all);
    for (let players = 2; players < 30; players++) {
      for (const key of all) world.probe(key, players);
      await untilTrue(world, reader, all);
    }
    for (const key of all) {
      assert.deepEqual(
        reader.changes.filter(([changed]) => changed === key).map(([, state]) => state),
        Array.from({ length: 28 }, (_, i) => i + 2),
      );
    }
    await reader.end();
  });

  test(`a change stream of ${kind} contains the inserts and removals of servers on other cores`, async t => {
    const { world, a, b, ofB, all } = await threeCores(t);
    const added = keysOf(world, b, 3)[2] ?? '';
    const keys = [...all, added];
    const reader = new StreamReader(a.feed, followed(keys));
    await untilTrue(world, reader, keys);
    world.insert(added);
    await untilTrue(world, reader, keys);
    world.remove(added);
    world.remove(ofB[0] ?? '');
    await untilTrue(world, reader, keys);
    assert.deepEqual(
      reader.changes.map(([, state]) => state),
      ['-', undefined, undefined],
    );
    await reader.end();
  });

  test(`a change stream of ${kind} contains the last state of each server even if the streams between the cores break`, async t => {
    const { world, a, b, ofB, all } = await threeCores(t);
    const inserted = keysOf(world, b, 3)[2] ?? '';
    const keys = [...all, inserted];
    const reader = new StreamReader(a.feed, followed(keys));
    await untilTrue(world, reader, keys);
    await until(() => a.feed.feed.isGapless);
    world.stopStreams(b);
    await until(() => !a.feed.feed.isGapless);
    const before = reader.changes.length;
    // The stream of changes from core `b` to core `a` is stopped now, so core `a` does not receive the following
    // changes.
    world.probe(ofB[0] ?? '', 7);
    world.remove(ofB[1] ?? '');
    world.insert(inserted);
    world.startStreams(b);
    await untilTrue(world, reader, keys);
    await until(() => a.feed.feed.isGapless);
    assert.equal(reader.changes.length, before + 3);
    await reader.end();
  });

  test(`a change stream of ${kind} contains no change if servers only move from one core to another`, async t => {
    const { world, a, b, c, ofA, ofB, ofC, all } = await threeCores(t);
    const reader = new StreamReader(a.feed, followed(all));
    await untilTrue(world, reader, all);
    await until(() => a.feed.feed.isGapless);
    const moves: [string[], WorldCore][] = [
      [ofB, c],
      [ofC, b],
      [ofA, b],
      [ofB, a],
    ];
    for (const [keys, to] of moves) {
      for (const key of keys) world.move(bucketOfServer(key), to);
      world.update();
      assert.equal(a.feed.feed.isGapless, false);
      await until(() => a.feed.feed.isGapless);
    }
    assert.deepEqual(reader.changes, []);
    for (const key of all) world.probe(key, 9);
    await untilTrue(world, reader, all);
    assert.equal(reader.changes.length, all.length);
    await reader.end();
  });

  test(`if a core dies before it saves a change of a server, a change stream of ${kind} sends the older, saved state of the server`, async t => {
    const { world, a, b, c, ofB, all } = await threeCores(t);
    const reader = new StreamReader(a.feed, followed(all));
    await untilTrue(world, reader, all);
    for (const key of ofB) world.probe(key, 12, false);
    await untilTrue(world, reader, all);
    world.kill(b);
    a.view.update();
    assert.equal(a.feed.feed.isGapless, false);
    for (const key of ofB) assert.equal(reader.states.get(key), 12);
    for (const [bucket, owner] of world.owners.entries()) if (!owner) world.move(bucket, c);
    a.view.update();
    await untilTrue(world, reader, all);
    for (const key of ofB) assert.equal(reader.states.get(key), 1);
    await until(() => a.feed.feed.isGapless);
    await reader.end();
  });
}

test('a core reads a server record again if a change of the server comes from a core other than the known owner', async t => {
  const { world, a, c, ofB, all } = await threeCores(t);
  const reader = new StreamReader(a.feed, all);
  await untilTrue(world, reader, all);
  await until(() => a.feed.feed.isGapless);
  const { id } = a.feed.feed;
  const [moved = ''] = ofB;
  world.move(bucketOfServer(moved), c);
  world.probe(moved, 5);
  await untilTrue(world, reader, all);
  await until(() => a.feed.feed.isGapless);
  assert.notEqual(a.feed.feed.id, id);
  assert.equal(a.view.refreshes, 1);
  world.probe(moved, 6);
  a.view.update();
  await untilTrue(world, reader, all);
  assert.deepEqual(reader.changes, [
    [moved, 5],
    [moved, 6],
  ]);
  await reader.end();
});

test('a late change from another core does not replace the newer state of a server', async t => {
  const { world, a, ofB } = await threeCores(t);
  const [key = ''] = ofB;
  const reader = new StreamReader(a.feed, ofB);
  await untilTrue(world, reader, ofB);
  const seen: State[] = [];
  for (let players = 2; players < 40; players++) {
    world.probe(key, players);
    if (players % 5 === 0) {
      // Core `b` loses the ownership of the server, and gets it back at once. So core `a` reads the current state of
      // the server again. Changes that core `b` sent before can arrive after this read.
      const owners = world.owners[bucketOfServer(key)];
      world.owners[bucketOfServer(key)] = undefined;
      a.view.update();
      world.owners[bucketOfServer(key)] = owners;
      a.view.update();
    }
    if (players % 3 === 0) await new Promise(setImmediate);
  }
  await untilTrue(world, reader, ofB);
  await until(() => a.feed.feed.isGapless);
  seen.push(...reader.changes.filter(([changed]) => changed === key).map(([, state]) => state));
  assert.deepEqual(
    seen,
    [...seen].sort((x, y) => Number(x) - Number(y)),
  );
  await reader.end();
});
