import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATOR } from '../../../core/admission/insert-guard.ts';
import type { FetchedPair, ServerGroup } from '../../../core/servers/fetch-request.ts';
import { encodeRecord } from '../../../core/servers/record-codec.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { Random } from '../../truth/random.ts';
import { silentRecord } from '../record-of.ts';
import { type OpenedCore, openCluster, openCore } from './cluster-core.ts';
import { KnownFetch } from './known-answer.ts';

const NAMES = {
  'one.test': { a: ['203.0.113.1'] },
  'two.test': { a: ['203.0.113.2'] },
  'private.test': { a: ['10.0.0.1'] },
};
const HOSTS = [
  ...Array.from({ length: 12 }, (_, i) => `1.2.3.${i}`),
  ...['one.test', 'ONE.test.', 'two.test', 'private.test', 'none.test', '[::ffff:1.2.3.4]', '[2001:db9::1]'],
];
const INVALID = ['nonsense', '10.0.0.1:27015', '1.2.3.4:22', '1.2.3.4'];
const csgo = (...servers: string[]): ServerGroup[] => [{ gameId: 'csgo', servers }];
const GAMES = ['csgo', 'oldcsgo', 'css', 'nope'];

/**
 * Returns the answer to a fetch in a form that the test can compare. The time of the next probe is set to 0 in each
 * record, because it depends on the probers.
 */
const shown = (pairs: readonly FetchedPair[]) =>
  pairs.map(({ record, ...pair }) => ({
    ...pair,
    record: record && [record.key, encodeRecord({ ...record, nextProbeAt: 0 }).toString('hex')],
  }));

function randomGroups(random: Random): ServerGroup[] {
  const addresses = [...HOSTS.flatMap(host => [`${host}:27015`, `${host}:27016`]), ...INVALID];
  return Array.from({ length: Math.floor(random.between(1, 4)) }, () => {
    const servers = random.some(addresses, Math.floor(random.between(1, 8)));
    return { gameId: random.some(GAMES, 1)[0] ?? '', servers: [...servers, ...random.some(servers, 1)] };
  });
}

async function giveUp(core: OpenedCore, record: ServerRecord): Promise<void> {
  await core.store.remove([record.key]);
  core.givenUp.addServer(record, silentRecord(record, core.clock.at));
}

test('three cores answer random fetches with the same results as one core', async t => {
  const world = await openCluster(t, 3, { names: NAMES });
  const { clock } = world.shared;
  const single = await openCore(t, world.shared, undefined);
  const random = new Random(7);
  const settled = new Set<string>();
  for (let round = 0; round < 150; round++) {
    const groups = randomGroups(random);
    const [entry] = random.some(world.cores, 1);
    assert.ok(entry);
    const insertedBy = random.unit() < 0.2 ? OPERATOR : `tok_${round % 3}`;
    const isCheck = random.unit() < 0.2;
    const fetched = (core: OpenedCore): Promise<FetchedPair[]> =>
      isCheck ? core.fetch.checkServers(groups, OPERATOR) : core.fetch.fetch(groups, insertedBy, 0);
    const expected = await fetched(single);
    assert.deepEqual(shown(await fetched(entry)), shown(expected), JSON.stringify({ round, groups }));
    clock.at += 60_000;
    const [known] = random.some(
      expected.flatMap(({ record }) => record ?? []),
      1,
    );
    if (!known || settled.has(known.address.split(':')[0] ?? '')) continue;
    const owner = world.ownerOf(known.key);
    const chance = random.unit();
    if (chance < 0.3) assert.equal(owner.answer(known.key), single.answer(known.key));
    else if (chance < 0.5) await world.move(known.key, Math.floor(random.between(0, 3)));
    else if (chance < 0.6) for (const core of [owner, single]) await core.store.remove([known.key]);
    else if (chance < 0.7 && single.store.getMany([known.key])[0]) {
      settled.add(known.address.split(':')[0] ?? '');
      for (const core of [owner, single]) await giveUp(core, known);
    }
  }
  const stored = world.cores.reduce((sum, { store }) => sum + store.stats().tracked, 0);
  assert.equal(stored, single.store.stats().tracked);
  assert.ok(stored > 10);
  assert.ok(world.cores.every(({ store }) => store.stats().tracked > 0));
  for (const [reason, count] of Object.entries(single.fetch.invalid)) {
    const counts = world.cores.map(({ fetch }) => fetch.invalid[reason as keyof typeof fetch.invalid]);
    assert.equal(
      counts.reduce((sum, each) => sum + each),
      count,
      reason,
    );
  }
});

test('a fetch that waits for new servers returns the first reply of each new server, even if another core owns the server', async t => {
  const world = await openCluster(t, 2);
  const address = world.addressOf(1);
  const owner = world.at(1);
  owner.onInserted.act = () => setImmediate(() => owner.answer(`csgo ${address}`));
  const own = world.addressOf(0);
  const entry = world.at(0);
  entry.onInserted.act = () => setImmediate(() => entry.answer(`csgo ${own}`));
  const pairs = await entry.fetch.fetch([{ gameId: 'csgo', servers: [address, own] }], 'tok_1', 5_000);
  assert.deepEqual(
    pairs.map(({ record, inserted }) => [record?.status, inserted]),
    [
      ['online', true],
      ['online', true],
    ],
  );
});

test('if a known server on another core changes while a fetch inserts a new server, the answer contains the change', async t => {
  const world = await openCluster(t, 2);
  const [known, fresh] = [world.addressOf(1), world.addressOf(1, 1)];
  const fetch = (...servers: string[]) => world.at(0).fetch.fetch([{ gameId: 'csgo', servers }], 'tok_1', 0);
  await fetch(known);
  world.at(1).onInserted.act = () => world.at(1).answer(`csgo ${known}`);
  const [pair] = await fetch(known, fresh);
  assert.equal(pair?.record?.status, 'online');
});

test('if a fetch contains servers of other cores, the called core counts only new servers against the limits of the token', async t => {
  const world = await openCluster(t, 2, { insertsPerMinute: 3, names: { 'none.test': { a: 3 } } });
  const entry = world.at(0);
  const fetch = async (...servers: string[]) => {
    const pairs = await entry.fetch.fetch([{ gameId: 'csgo', servers }], 'tok_1', 0);
    return pairs.map(({ invalid, inserted }) => invalid?.reason ?? inserted);
  };
  const remote = [0, 1, 2].map(n => world.addressOf(1, n));
  assert.deepEqual(await fetch('none.test:27015', ...remote.slice(0, 2)), ['unresolvable_host', true, true]);
  assert.deepEqual(await fetch(...remote.slice(0, 2)), [false, false]);
  assert.deepEqual(await fetch(world.addressOf(0), ...remote), [true, false, false, 'insert_quota']);
  assert.equal(entry.guard.refusals.aMinute, 1);
  assert.equal(world.at(1).guard.refusals.aMinute, 0);
  // Each core has its own count for the limit of three inserts a minute. Only core 0 counted the earlier inserts of
  // this token, so core 1 accepts three more.
  const servers = [5, 6, 7].map(n => world.addressOf(1, n));
  const others = await world.at(1).fetch.fetch([{ gameId: 'csgo', servers }], 'tok_1', 0);
  assert.ok(others.every(({ inserted }) => inserted));
});

test('the limit of unconfirmed servers (no reply so far) at one IP address also applies to servers that another core owns', async t => {
  const world = await openCluster(t, 2, { unconfirmedPerAddress: 2, insertsPerMinute: 3 });
  const [host = ''] = world.addressOf(1).split(':');
  const fetch = async (...servers: string[]) => {
    const pairs = await world.at(0).fetch.fetch([{ gameId: 'csgo', servers }], 'tok_1', 0);
    return pairs.map(({ invalid, inserted }) => invalid?.message.slice(0, 26) ?? inserted);
  };
  const refusal = 'As many servers at this IP';
  const ports = [27001, 27002, 27003];
  assert.deepEqual(await fetch(...ports.map(port => `${host}:${port}`)), [true, true, refusal]);
  assert.deepEqual(await fetch(world.addressOf(1, 1)), [true]);
  assert.deepEqual([world.at(0).unconfirmed.size, world.at(1).unconfirmed.size], [0, 3]);
});

test('if several cores receive fetches of the same new servers at the same time, each server is inserted only once', async t => {
  const world = await openCluster(t, 3);
  const groups = [{ gameId: 'csgo', servers: [world.addressOf(0), world.addressOf(1), world.addressOf(2)] }];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, i) => world.at(i % 3).fetch.fetch(groups, 'tok_1', 0)),
  );
  const pairs = answers.flat();
  assert.equal(pairs.filter(pair => pair.inserted).length, 3);
  assert.ok(pairs.every(pair => pair.record?.status === 'pending'));
});

test('on each core, readRecords(), list(), keyPages() and all() return the servers of all cores', async t => {
  const world = await openCluster(t, 3);
  const servers = [0, 1, 2].map(owner => world.addressOf(owner));
  await world.at(0).fetch.fetch([{ gameId: 'csgo', servers }], 'tok_1', 0);
  const keys = servers.map(address => `csgo ${address}`);
  for (const { records } of world.cores) {
    const found = await records.readRecords([...keys, 'csgo 1.2.3.4:1', 'csgo malformed']);
    assert.deepEqual(
      found.map(record => record?.key),
      [...keys, undefined, undefined],
    );
    const listed = await records.list('csgo ', '', 2);
    const next = await records.list('csgo ', listed.at(-1)?.record.key ?? '', 2);
    assert.deepEqual(
      [...listed, ...next].map(({ record }) => record.key),
      [...keys].sort(),
    );
    for (const [size, pages] of [
      [2, [[0, 1], [2]]],
      [3, [[0, 1, 2], []]],
    ] as const) {
      const found: (readonly string[])[] = [];
      for await (const page of records.keyPages('csgo ', size)) found.push(page);
      const sorted = [...keys].sort();
      assert.deepEqual(
        found,
        pages.map(page => page.map(i => sorted[i])),
      );
    }
    const all: string[] = [];
    for await (const { key } of records.all()) all.push(key);
    assert.deepEqual(all, [...keys].sort());
  }
});

test('a core without a valid cluster lease gets the record of a moved server from the new owner, not from its own memory', async t => {
  const world = await openCluster(t, 2, { deadlineMs: 200 });
  const core = world.at(0);
  const [moved, left] = [world.addressOf(0), world.addressOf(0, 1)];
  await core.fetch.fetch(csgo(moved, left), OPERATOR, 0);
  assert.ok(await new KnownFetch(core, csgo(moved)).answer());
  const [ownership] = world.ownerships;
  assert.ok(ownership);
  ownership.isValid = false;
  assert.equal(await new KnownFetch(core, csgo(moved)).answer(), undefined);
  await assert.rejects(core.fetch.fetch(csgo(moved), OPERATOR, 0), { code: 'CORE_1' });
  // Moves the servers to another core, and simulates that a prober finds one of them online.
  for (const address of [moved, left]) await world.move(`csgo ${address}`, 1);
  world.at(1).answer(`csgo ${moved}`);
  const pairs = await core.fetch.fetch(csgo(moved, left), OPERATOR, 0);
  assert.deepEqual(
    pairs.map(({ record }) => record?.status),
    ['online', 'pending'],
  );
});
