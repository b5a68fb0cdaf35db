import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInDoubt } from '../../../core/servers/server-record.ts';
import { DispatchedWorld } from './dispatched-world.ts';

const SECOND = 1_000;

const spread = (count: number) =>
  Array.from({ length: count }, (_, i) => `5.${i % 250}.7.${1 + Math.floor(i / 250)}:27015`);

/** Returns a simulated core whose servers have all answered for ten minutes. */
async function healthy(t: Parameters<typeof DispatchedWorld.of>[0], addresses: readonly string[]) {
  const world = await DispatchedWorld.of(t, addresses);
  await world.pass(600 * SECOND);
  assert.equal(world.store.stats().online, addresses.length);
  return world;
}

test('if all of 1000 servers stop answering for a minute, only the servers that stay silent after this minute become offline', async t => {
  const world = await healthy(t, spread(1_000));
  const before = world.servers;

  world.answers = () => false;
  await world.pass(60 * SECOND);
  assert.deepEqual([world.outages, world.dispatcher.outage], [[true], true]);
  assert.deepEqual(world.offline, []);
  const { ignored } = world.recorder;
  assert.ok(ignored > 800, `${ignored} failures ignored`);
  assert.equal(await world.metric('gsq_schedule_frozen'), 1);
  assert.equal(await world.metric('gsq_probes_ignored_total'), ignored);
  assert.ok(world.servers.every(({ lastOnlineAt }, i) => lastOnlineAt >= (before[i]?.lastOnlineAt ?? 0)));
  const doubted = world.servers.filter(isInDoubt).length;
  assert.ok(doubted < 120, `${doubted} in doubt`);
  const seconds = new Map<number, number>();
  for (const { nextProbeAt } of world.servers) {
    const second = Math.floor(nextProbeAt / SECOND);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  assert.ok(Math.max(...seconds.values()) < 60, 'they are due one after the other');

  const gone = new Set(spread(1_000).slice(0, 5));
  world.answers = address => !gone.has(address);
  const returned = world.clock.at;
  await world.pass(150 * SECOND);
  assert.deepEqual([world.outages, world.dispatcher.outage], [[true, false], false]);
  assert.equal(await world.metric('gsq_schedule_frozen'), 0);
  assert.deepEqual(new Set(world.offline), gone);
  for (const { address, lastOnlineAt, label } of world.servers) {
    if (!gone.has(address)) assert.ok(lastOnlineAt > returned, address);
    assert.equal(label, 'none');
  }
});

test('with a probe interval of one second, gsq detects an outage of the prober when all servers stop answering', async t => {
  const world = await DispatchedWorld.of(t, spread(45), 1_000);
  await world.pass(60 * SECOND);
  assert.equal(world.store.stats().online, 45);
  world.answers = () => false;
  await world.pass(15 * SECOND);
  assert.deepEqual([world.outages, world.dispatcher.outage], [[true], true]);
  await world.pass(600 * SECOND);
  assert.deepEqual([world.offline, world.outages], [[], [true]]);
});

test('no server becomes offline during an outage of the prober that lasts three hours', async t => {
  const world = await healthy(t, spread(60));
  world.answers = () => false;
  await world.pass(3 * 3_600 * SECOND);
  assert.deepEqual([world.offline, world.outages], [[], [true]]);
  world.answers = () => true;
  await world.pass(120 * SECOND);
  assert.deepEqual([world.offline, world.outages], [[], [true, false]]);
});

test('if only 5 % of 1000 servers still answer, no server becomes offline in the first 590 s', async t => {
  const world = await healthy(t, spread(1_000));
  const heard = new Set(spread(1_000).filter((_, i) => i % 20 === 0));
  world.answers = address => heard.has(address);
  await world.pass(590 * SECOND);
  assert.deepEqual([world.offline, world.outages], [[], [true]]);
  await world.pass(200 * SECOND);
  assert.deepEqual(
    [world.offline.length, world.outages],
    [950, [true, false]],
    'then it is taken for theirs',
  );
});

test('if 500 servers of one /24 network stop answering, they become offline, and gsq detects no outage of the prober', async t => {
  const one = Array.from({ length: 500 }, (_, i) => `9.9.9.${1 + (i % 250)}:${2000 + Math.floor(i / 250)}`);
  const world = await healthy(t, [...one, ...spread(100)]);
  world.answers = address => !address.startsWith('9.9.9.');
  await world.pass(180 * SECOND);
  assert.deepEqual(world.outages, []);
  assert.deepEqual(new Set(world.offline), new Set(one));
});

test('if half of all networks stop answering at the same time, their servers become offline, and gsq detects no outage of the prober', async t => {
  const world = await healthy(t, spread(500));
  const gone = new Set(spread(500).filter((_, i) => i % 2 === 0));
  world.answers = address => !gone.has(address);
  await world.pass(180 * SECOND);
  assert.deepEqual(world.outages, []);
  assert.deepEqual(new Set(world.offline), gone);
});

for (const count of [4, 5]) {
  test(`${count} servers that stop answering at the same time become offline only if a server in another network still answers`, async t => {
    for (const extra of [0, 1]) {
      const world = await healthy(t, spread(count + extra));
      const lost = new Set(spread(count));
      world.answers = address => !lost.has(address);
      await world.pass(600 * SECOND);
      assert.deepEqual(world.offline, extra ? [...lost] : []);
      world.answers = () => true;
      await world.pass(120 * SECOND);
      assert.deepEqual([world.offline, world.dispatcher.outage], [[], false]);
    }
  });
}

test('the only tracked server becomes offline when it stops answering, because gsq cannot detect an outage from one server', async t => {
  const world = await healthy(t, spread(1));
  world.answers = () => false;
  await world.pass(150 * SECOND);
  assert.deepEqual(world.offline, spread(1));
});

test('no server becomes offline if a new prober replaces the old one while no server answers', async t => {
  const world = await healthy(t, spread(300));
  world.answers = () => false;
  await world.pass(60 * SECOND);
  world.joinProber();
  assert.deepEqual([world.outages, world.dispatcher.outage], [[true, false], false]);
  await world.pass(180 * SECOND);
  assert.deepEqual([world.offline, world.dispatcher.outage], [[], true]);
});

test('gsq detects no outage of the prober if 400 new servers never answer', async t => {
  const world = await healthy(t, spread(100));
  const imported = Array.from({ length: 400 }, (_, i) => `7.${i % 250}.1.1:${2000 + i}`);
  const dead = new Set(imported);
  world.answers = address => !dead.has(address);
  await world.track(imported);
  await world.pass(120 * SECOND);
  assert.deepEqual([world.outages, world.store.stats().tracked], [[], 100]);

  world.answers = () => false;
  await world.pass(30 * SECOND);
  await world.track(['8.8.8.8:27015']);
  await world.pass(120 * SECOND);
  assert.deepEqual([world.store.stats().pending, world.offline], [1, []]);
});

test('if the network connection of the prober loses 30 % of all packets, no server becomes offline, and none gets a label such as `rate_limited`', async t => {
  const world = await healthy(t, spread(200));
  world.loss = 0.3;
  await world.pass(1_800 * SECOND);
  assert.deepEqual([world.offline, world.outages], [[], []]);
  assert.deepEqual(new Set(world.servers.map(({ label }) => label)), new Set(['none']));
});

test('servers that stop answering one after the other become offline, and gsq detects no outage of the prober', async t => {
  const world = await healthy(t, spread(7));
  for (let silent = 1; silent <= 6; silent++) {
    const lost = new Set(spread(silent));
    world.answers = address => !lost.has(address);
    await world.pass(180 * SECOND);
    assert.deepEqual(new Set(world.offline), lost);
  }
  await world.pass(1_800 * SECOND);
  assert.deepEqual([world.outages, world.offline.length], [[], 6]);
});
