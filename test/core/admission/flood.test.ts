import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { InsertGuard, OPERATOR } from '../../../core/admission/insert-guard.ts';
import { InsertRates } from '../../../core/admission/insert-rates.ts';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from '../../../core/admission/unconfirmed-servers.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { ServerFetch } from '../../../core/servers/server-fetch.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { settings } from '../../../runtime/settings.ts';
import { NameServer, type Records } from '../../system/name-server.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { onlineRecord } from '../record-of.ts';
import { scratchEngine } from '../scratch-store.ts';
import { givenUpOf } from '../servers/given-up-of.ts';
import { leaseRecords } from '../store/lease-records.ts';

const VICTIM = '8.9.10.11';

/**
 * Creates only those parts of a core that store new servers and limit the number of new servers, with the default
 * limits.
 */
async function opened(t: TestContext, names: Record<string, Records> = {}) {
  const clock = clockAt();
  const unconfirmed = new UnconfirmedServers({
    ...UNCONFIRMED_LIMITS,
    inAll: Number(settings.GSQ_MAX_UNPROVEN.default),
    aToken: Number(settings.GSQ_MAX_UNPROVEN_PER_TOKEN.default),
  });
  const limits = {
    aMinute: Number(settings.GSQ_INSERTS_PER_MINUTE.default),
    aDay: Number(settings.GSQ_INSERTS_PER_DAY.default),
  };
  const options = {
    now: clock.now,
    probeIntervalMs: 60_000,
    leaseMs: 30_000,
    maxServers: 1_000_000,
    unconfirmed,
  };
  const engine = await scratchEngine(t);
  const store = await EmbeddedServerStore.load(engine, options);
  const dns = await NameServer.start(names);
  t.after(() => dns.stop());
  const guard = new InsertGuard(new InsertRates(limits, clock.now), unconfirmed);
  const fetch = new ServerFetch({
    givenUp: await givenUpOf(engine, clock.now),
    guard,
    catalog: await catalogOf(clock.now, 'csgo', 'css'),
    store,
    changes: new ServerChanges(),
    policy: new TargetPolicy(['10.0.0.0/8']),
    resolver: new Resolver([dns.address], clock.now),
    onInserted: () => {},
  });
  /**
   * Fetches servers of one game with a token. Returns the number of inserted servers, and the number of servers that an
   * insert limit refused.
   */
  const insert = async (token: string, servers: string[], gameId = 'csgo') => {
    const pairs = await fetch.fetch([{ gameId, servers }], token, 0);
    return {
      inserted: pairs.filter(({ inserted }) => inserted).length,
      refused: pairs.filter(({ invalid }) => invalid?.reason === 'insert_quota').length,
    };
  };
  return { clock, store, unconfirmed, guard, insert };
}

const ports = (address: string, count: number, first = 20_000): string[] =>
  Array.from({ length: count }, (_, i) => `${address}:${first + i}`);

test('the first request of a new token can insert 1000 servers, even if 200 of them have the same IP address', async t => {
  const { insert } = await opened(t);
  const others = Array.from({ length: 800 }, (_, i) => `8.8.${i % 100}.${1 + (i % 250)}:${27_000 + i}`);
  assert.deepEqual(await insert('honest', [...ports('8.8.200.1', 200), ...others]), {
    inserted: 1000,
    refused: 0,
  });
});

test('a flood from 1000 tokens cannot exceed the insert limit of one network, and another token can still insert servers', async t => {
  const { insert, store, unconfirmed, guard } = await opened(t);
  const below = randomNumbers(9);
  for (let token = 0; token < 1000; token++) {
    const servers = Array.from({ length: 20 }, (_, i) => {
      const host = i % 2 === 0 ? VICTIM : `8.9.10.${below(256)}`;
      return `${host}:${20_000 + below(5_000)}`;
    });
    await insert(`hostile ${token}`, servers);
  }
  const { tracked } = store.stats();
  assert.ok(tracked <= UNCONFIRMED_LIMITS.aNetwork, `${tracked} tracked`);
  assert.ok(tracked > UNCONFIRMED_LIMITS.aNetwork / 2, `${tracked} tracked`);
  let atVictim = 0;
  for (const { address } of await store.list('', '', 10_000))
    if (address.startsWith(`${VICTIM}:`)) atVictim++;
  assert.equal(atVictim, UNCONFIRMED_LIMITS.anAddress);
  assert.equal(unconfirmed.size, tracked);
  const { anAddress, aNetwork } = guard.refusals;
  assert.ok(anAddress > 1_000 && aNetwork > 1_000, JSON.stringify(guard.refusals));
  assert.deepEqual(await insert('honest', ports('8.8.8.8', 200)), { inserted: 200, refused: 0 });
});

test('a server with a host name counts towards the insert limit of the IP address to which the name resolves', async t => {
  const names = Object.fromEntries(
    Array.from({ length: 300 }, (_, i) => [`game${i}.example.com`, { a: [VICTIM] }]),
  );
  const { insert } = await opened(t, names);
  const servers = Object.keys(names).map(name => `${name}:27015`);
  const all = { inserted: 0, refused: 0 };
  // Each request contains 50 host names, because the DNS server of the test accepts at most 50 queries at the same
  // time.
  for (let first = 0; first < servers.length; first += 50) {
    const { inserted, refused } = await insert('hostile', servers.slice(first, first + 50));
    all.inserted += inserted;
    all.refused += refused;
  }
  assert.deepEqual(all, { inserted: 256, refused: 44 });
});

test('a token can have at most 5000 inserted servers that never answered, and a different token has its own limit', async t => {
  const { insert, clock } = await opened(t);
  const spread = (first: number) =>
    Array.from({ length: 1000 }, (_, i) => `9.${(first + i) >> 8}.${(first + i) & 255}.1:27015`);
  for (let first = 0; first < 5000; first += 1000) {
    assert.deepEqual(await insert('greedy', spread(first)), { inserted: 1000, refused: 0 });
  }
  assert.deepEqual(await insert('greedy', spread(5000)), { inserted: 0, refused: 1000 });
  clock.at += 60_000;
  assert.deepEqual(await insert('greedy', spread(5000)), { inserted: 0, refused: 1000 });
  assert.deepEqual(await insert('honest', spread(5000)), { inserted: 1000, refused: 0 });
});

test('the insert limit of an IP address does not count servers that answered or were removed', async t => {
  const { insert, store, clock, unconfirmed } = await opened(t);
  const servers = ports(VICTIM, 256);
  assert.deepEqual(await insert('a', servers), { inserted: 256, refused: 0 });
  assert.deepEqual(await insert('a', ports(VICTIM, 1, 30_000)), { inserted: 0, refused: 1 });
  const [lease] = leaseRecords(store, 1);
  assert.ok(lease);
  store.apply(lease.id, onlineRecord(lease.server, clock.at));
  const [removed] = servers.filter(address => address !== lease.server.address);
  await store.remove([`csgo ${removed}`]);
  assert.equal(unconfirmed.size, 254);
  assert.deepEqual(await insert('a', ports(VICTIM, 3, 30_000)), { inserted: 2, refused: 1 });
});

test('a server counts only once towards the insert limits, even if one request lists it twice or several requests list it', async t => {
  const { insert, unconfirmed } = await opened(t);
  const servers = ports(VICTIM, 100);
  const results = await Promise.all([
    insert('a', servers),
    insert('b', servers),
    insert('a', [...servers, ...servers]),
  ]);
  assert.equal(
    results.reduce((sum, { inserted }) => sum + inserted, 0),
    100,
  );
  assert.ok(results.every(({ refused }) => refused === 0));
  assert.equal(unconfirmed.size, 100);
});

test('inserts by the operator, and inserts of addresses in the operator’s own networks, have no limit', async t => {
  const { insert } = await opened(t);
  assert.deepEqual(await insert(OPERATOR, ports(VICTIM, 1000)), { inserted: 1000, refused: 0 });
  assert.deepEqual(await insert('a', ports('10.1.1.1', 1000)), { inserted: 1000, refused: 0 });
});
