import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../../proto/service-error.ts';
import { StreamReader } from './feed-reader.ts';
import { threeCores, until, untilTrue } from './three-cores.ts';

const OPEN_WAIT_MS = 2_000;
const LINGER_MS = 60_000;

test('a change stream begins after a short wait even if one core does not answer; the changes on that core follow later', async t => {
  const { world, a, b, ofB, all } = await threeCores(t);
  world.stopStreams(b);
  // From now on, each new stream of changes from core `b` ends immediately. Therefore core `a` cannot receive all
  // changes of core `b`.
  const reader = new StreamReader(a.feed, all);
  await new Promise(setImmediate);
  world.fire(OPEN_WAIT_MS);
  await untilTrue(world, reader, all);
  world.startStreams(b);
  for (const key of ofB) world.probe(key, 4);
  await untilTrue(world, reader, all);
  await reader.end();
});

test('a change stream resumes without a snapshot if the core has missed no changes of other cores', async t => {
  const { world, a, all } = await threeCores(t);
  const first = new StreamReader(a.feed, all);
  await untilTrue(world, first, all);
  for (const key of all) world.probe(key, 3);
  await untilTrue(world, first, all);
  await first.end();
  world.probe(all[0] ?? '', 4);
  world.probe(all[5] ?? '', 5);
  const second = new StreamReader(a.feed, all, first.token, first.states);
  await untilTrue(world, second, all);
  assert.deepEqual(
    second.messages.map(({ kind }) => kind),
    ['change', 'change'],
  );
  await second.end();
});

test('a change stream resumes with a new snapshot if the core may have missed changes of other cores', async t => {
  const { world, a, b, all } = await threeCores(t);
  const reader = new StreamReader(a.feed, all);
  await untilTrue(world, reader, all);
  await until(() => a.feed.feed.isGapless);
  const before = reader.token;
  world.stopStreams(b);
  world.kill(b);
  a.view.update();
  world.probe(all[0] ?? '', 4);
  await until(() => reader.states.get(all[0] ?? '') === 4);
  const within = reader.token;
  assert.notEqual(within, before);
  for (const [bucket, owner] of world.owners.entries()) if (!owner) world.move(bucket, a);
  a.view.update();
  await until(() => a.feed.feed.isGapless);
  for (const token of [before, within]) {
    const resumed = new StreamReader(a.feed, all, token, reader.states);
    await until(() => resumed.messages.length > 0);
    assert.equal(resumed.messages[0]?.kind, 'snapshot');
    await resumed.end();
  }
  await reader.end();
});

test('a core follows the changes on other cores while its change feed has readers, and for a limited time after the last reader has left', async t => {
  const { world, a, ofA, ofB } = await threeCores(t);
  world.probe(ofB[0] ?? '', 2);
  world.probe(ofA[0] ?? '', 2);
  assert.equal(a.feed.feed.sequence, 0);
  const reader = new StreamReader(a.feed, ofB);
  await untilTrue(world, reader, ofB);
  await reader.end();
  world.probe(ofB[0] ?? '', 3);
  await until(() => a.feed.feed.sequence === 1);
  const { id } = a.feed.feed;
  world.fire(LINGER_MS);
  world.probe(ofA[0] ?? '', 3);
  world.probe(ofB[0] ?? '', 4);
  assert.notEqual(a.feed.feed.id, id);
  const later = new StreamReader(a.feed, ofB, reader.token, reader.states);
  await untilTrue(world, later, ofB);
  assert.equal(later.messages[0]?.kind, 'snapshot');
  assert.equal(a.feed.feed.sequence, 1);
  await later.end();
});

test('if a core cannot keep all server records in memory, change streams of a whole game end with the error CORE_1', async t => {
  const { world, a, b, c, ofB, all } = await threeCores(t, 5, 2_000);
  const reader = new StreamReader(a.feed, all);
  const gameReader = new StreamReader(a.feed, 'csgo');
  await untilTrue(world, reader, all);
  for (const key of ofB) world.probe(key, 12, false);
  await untilTrue(world, reader, all);
  await untilTrue(world, gameReader, all);
  world.stopStreams(b);
  for (const key of ofB.slice(1)) world.remove(key);
  world.kill(b);
  for (const [bucket, owner] of world.owners.entries()) if (!owner) world.move(bucket, c);
  a.view.update();
  await untilTrue(world, reader, all);
  await reader.end();
  await gameReader.over;
  assert.ok(gameReader.error instanceof ServiceError && gameReader.error.code === 'CORE_1');
  const again = new StreamReader(a.feed, 'csgo', gameReader.token, gameReader.states);
  await untilTrue(world, again, all);
  assert.equal(again.messages[0]?.kind, 'snapshot');
  await again.end();
});
