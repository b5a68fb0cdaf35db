import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../truth/random.ts';
import { openCluster } from './cluster-core.ts';

const CORES = 3;

test('while servers move between cores, each fetch finds or inserts all its servers, and none is lost or tracked twice', async t => {
  const world = await openCluster(t, CORES);
  const random = new Random(11);
  const addresses = Array.from({ length: 40 }, (_, i) => `1.2.3.${i}:27015`);
  let isOver = false;
  const moves = (async () => {
    for (let moved = 0; !isOver || moved < 100; moved++) {
      await new Promise(setImmediate);
      const [address] = random.some(addresses, 1);
      await world.move(`csgo ${address}`, Math.floor(random.between(0, CORES)));
    }
  })();
  const inserted: string[] = [];
  const fetchAll = async (entry: number): Promise<void> => {
    for (let round = 0; round < 40; round++) {
      const servers = random.some(addresses, 6);
      const pairs = await world.at(entry).fetch.fetch([{ gameId: 'csgo', servers }], `tok_${entry}`, 0);
      for (const pair of pairs) {
        assert.equal(pair.record?.key, `csgo ${pair.server}`, JSON.stringify(pair.invalid));
        if (pair.inserted) inserted.push(pair.server);
      }
    }
  };
  await Promise.all([0, 1, 2].map(fetchAll));
  isOver = true;
  await moves;
  for (const address of addresses) {
    const key = `csgo ${address}`;
    const trackers = world.cores.filter(({ store }) => store.getMany([key])[0]);
    assert.deepEqual(trackers, [world.ownerOf(key)], key);
  }
  assert.equal(new Set(inserted).size, inserted.length, 'a server was inserted twice');
});

test('a fetch inserts a new server even if the called core does not know yet that it owns the server', async t => {
  const world = await openCluster(t, 2);
  const address = world.addressOf(1);
  const entry = world.at(0);
  const { cluster } = entry;
  assert.ok(cluster);
  // Makes core-0 the owner of the server, and simulates that core-0 does not know this yet. For this, the test calls
  // `cluster.fetch`, which a core uses only for the servers of other cores.
  world.cluster.setOwner(`csgo ${address}`, 'core-0');
  const servers = [{ gameId: 'csgo', address }];
  const [result] = await cluster.fetch('insert', servers, 'tok_1', 0, cluster.deadline(0));
  assert.deepEqual([result?.inserted, result?.record?.address], [true, address]);
  assert.equal(entry.store.stats().tracked, 1);
});

test('if a new server moves from the called core to another core during its insert, the other core inserts the server', async t => {
  const world = await openCluster(t, 2);
  const address = world.addressOf(0);
  const key = `csgo ${address}`;
  const entry = world.at(0);
  const fetching = entry.fetch.fetch([{ gameId: 'csgo', servers: [address] }], 'tok_1', 0);
  // Moves the server to core-1 after core-0 has begun to insert it. Core-0 is then no longer the owner, so its write is
  // refused.
  world.cluster.setOwner(key, 'core-1');
  const [pair] = await fetching;
  assert.deepEqual([pair?.record?.key, pair?.invalid, pair?.inserted], [key, undefined, true]);
  assert.deepEqual([entry.store.stats().tracked, world.at(1).store.stats().tracked], [0, 1]);
});

test('if a new server moves from another core to the called core during its insert, the called core inserts the server', async t => {
  const world = await openCluster(t, 2);
  const address = world.addressOf(1);
  const key = `csgo ${address}`;
  const { withoutRates } = world.at(1).guard;
  const { countInsert } = withoutRates;
  // Moves the server from its owner, core B, to core A just before core B writes the server. For this, replaces
  // `countInsert`, which core B calls immediately before the write. The storage engine then refuses the write of core
  // B.
  t.mock.method(withoutRates, 'countInsert', (...args: Parameters<typeof countInsert>) => {
    world.cluster.setOwner(key, 'core-0');
    return countInsert(...args);
  });
  const [pair] = await world.at(0).fetch.fetch([{ gameId: 'csgo', servers: [address] }], 'tok_1', 0);
  assert.deepEqual([pair?.record?.key, pair?.invalid, pair?.inserted], [key, undefined, true]);
  assert.deepEqual([world.at(0).store.stats().tracked, world.at(1).store.stats().tracked], [1, 0]);
  assert.equal(world.at(1).unconfirmed.size, 0);
});
