import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { countAddresses, type FetchedPair } from '../../../core/servers/fetch-request.ts';
import { ServerChanges } from '../../../core/servers/server-changes.ts';
import { ServerFetch } from '../../../core/servers/server-fetch.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { Resolver } from '../../../net/resolver.ts';
import { TargetPolicy } from '../../../net/targets.ts';
import { NameServer, type Records } from '../../system/name-server.ts';
import { freeInserts } from '../admission/free-inserts.ts';
import { catalogOf } from '../catalog-of.ts';
import { clockAt } from '../clock.ts';
import { onlineRecord, silentRecord } from '../record-of.ts';
import { scratchEngine } from '../scratch-store.ts';
import { leaseRecords } from '../store/lease-records.ts';
import { givenUpOf } from './given-up-of.ts';

const LONG_MS = 5_000;

async function opened(t: TestContext, names: Record<string, Records> = {}, maxServers = 1000) {
  const clock = clockAt();
  const options = { now: clock.now, probeIntervalMs: 60_000, leaseMs: 30_000, maxServers };
  const level = await scratchEngine(t);
  const store = await EmbeddedServerStore.load(level, options);
  const changes = new ServerChanges();
  const dns = await NameServer.start(names);
  t.after(() => dns.stop());
  const closing = new AbortController();
  let inserts = 0;
  const onInserted = { act: (): void => {} };
  const fetch = new ServerFetch({
    givenUp: await givenUpOf(level, clock.now),
    guard: freeInserts(),
    catalog: await catalogOf(clock.now, 'csgo', 'css'),
    store,
    changes,
    policy: new TargetPolicy([]),
    resolver: new Resolver([dns.address], clock.now),
    closing: closing.signal,
    onInserted: () => {
      inserts++;
      onInserted.act();
    },
  });
  /** Reports an answer for up to `limit` due servers, like a prober. */
  const probe = (limit: number): void => {
    for (const lease of leaseRecords(store, limit)) {
      const next = onlineRecord(lease.server, clock.at);
      store.apply(lease.id, next);
      changes.publish(next);
    }
  };
  return {
    store,
    changes,
    dns,
    probe,
    closing,
    onInserted,
    inserts: () => inserts,
    fetch: (servers: string[], gameId = 'csgo', waitMs = 0) =>
      fetch.fetch([{ gameId, servers }], 'tok_1', waitMs),
    fetchGroups: (groups: [gameId: string, servers: string[]][]) =>
      fetch.fetch(
        groups.map(([gameId, servers]) => ({ gameId, servers })),
        'tok_1',
        0,
      ),
  };
}

/** Describes the result of each pair in one line of text. */
const words = (pairs: readonly FetchedPair[]): string[] =>
  pairs.map(({ gameId, server, record, invalid, inserted }) => {
    const found = invalid ? invalid.reason : `${inserted ? 'inserted' : 'known'} as ${record?.key}`;
    return `${gameId} ${server}: ${found}`;
  });

test('a fetch inserts an unknown valid pair and stores the id of the token; later fetches find the server', async t => {
  const { fetch, store, inserts } = await opened(t);
  assert.deepEqual(words(await fetch(['1.2.3.4:27015'])), [
    'csgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
  ]);
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0]?.insertedBy, 'tok_1');
  assert.deepEqual(words(await fetch(['1.2.3.4:27015'])), [
    'csgo 1.2.3.4:27015: known as csgo 1.2.3.4:27015',
  ]);
  assert.equal(inserts(), 1);
});

test('a pair that a request contains twice is answered once, in one group or in several groups', async t => {
  const { fetchGroups } = await opened(t);
  const pairs = await fetchGroups([
    ['csgo', ['1.2.3.4:27015', '1.2.3.4:27015']],
    ['css', ['1.2.3.4:27015']],
    ['csgo', ['1.2.3.4:27015', '5.6.7.8:27015']],
  ]);
  assert.deepEqual(words(pairs), [
    'csgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
    'css 1.2.3.4:27015: inserted as css 1.2.3.4:27015',
    'csgo 5.6.7.8:27015: inserted as csgo 5.6.7.8:27015',
  ]);
});

test('two spellings of one address are answered as two pairs, but are one server and one insert', async t => {
  const { fetch, store } = await opened(t, { 'example.test': { a: ['1.2.3.4'] } });
  const spellings = ['EXAMPLE.test.:27015', 'example.test:27015'];
  assert.deepEqual(words(await fetch(spellings)), [
    'csgo EXAMPLE.test.:27015: inserted as csgo example.test:27015',
    'csgo example.test:27015: known as csgo example.test:27015',
  ]);
  assert.deepEqual(words(await fetch(['[::ffff:5.6.7.8]:27015', '5.6.7.8:27015'])), [
    'csgo [::ffff:5.6.7.8]:27015: inserted as csgo 5.6.7.8:27015',
    'csgo 5.6.7.8:27015: known as csgo 5.6.7.8:27015',
  ]);
  assert.equal(store.stats().tracked, 2);
  assert.ok((await fetch(spellings)).every(pair => pair.record && !pair.inserted));
});

test('a game alias finds the same server as the game id, and the answer repeats the alias', async t => {
  const { fetchGroups, store } = await opened(t);
  const pairs = await fetchGroups([
    ['oldcsgo', ['1.2.3.4:27015']],
    ['csgo', ['1.2.3.4:27015']],
  ]);
  assert.deepEqual(words(pairs), [
    'oldcsgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
    'csgo 1.2.3.4:27015: known as csgo 1.2.3.4:27015',
  ]);
  assert.equal(store.stats().tracked, 1);
});

test('each invalid pair of a fetch has its own reason, and the valid pairs are answered', async t => {
  const { fetchGroups, store } = await opened(t, { 'private.test': { a: ['10.0.0.1'] } });
  const pairs = await fetchGroups([
    ['nope', ['1.2.3.4:27015']],
    ['csgo', ['here', '127.0.0.1:27015', 'private.test:27015', 'none.test:27015', '1.2.3.4:27015']],
    ['__proto__', ['1.2.3.4:27015']],
  ]);
  assert.deepEqual(words(pairs), [
    'nope 1.2.3.4:27015: unknown_game',
    'csgo here: malformed_address',
    'csgo 127.0.0.1:27015: blocked_address',
    'csgo private.test:27015: blocked_address',
    'csgo none.test:27015: unresolvable_host',
    'csgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
    '__proto__ 1.2.3.4:27015: unknown_game',
  ]);
  assert.equal(store.stats().tracked, 1);
});

test('a fetch does not look up the host name of a tracked server again', async t => {
  const { fetch, dns } = await opened(t, { 'example.test': { a: ['1.2.3.4'] } });
  await fetch(['example.test:27015']);
  const asked = dns.questions.length;
  assert.ok(asked > 0);
  await fetch(['example.test:27015', 'EXAMPLE.test:27015']);
  assert.equal(dns.questions.length, asked);
});

test('a new pair beyond the maximum number of tracked servers is refused with insert_quota', async t => {
  const { fetch } = await opened(t, {}, 1);
  assert.deepEqual(words(await fetch(['1.2.3.4:27015', '5.6.7.8:27015'])), [
    'csgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
    'csgo 5.6.7.8:27015: insert_quota',
  ]);
});

test('if several fetches request a new pair at the same time, one of them inserts it, and all return its record', async t => {
  const { fetch } = await opened(t);
  const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(['1.2.3.4:27015'])));
  const pairs = answers.flat();
  assert.equal(pairs.filter(pair => pair.inserted).length, 1);
  assert.ok(pairs.every(pair => pair.record?.status === 'pending'));
});

test('a fetch without a wait returns a new server as pending', async t => {
  const { fetch } = await opened(t);
  const [pair] = await fetch(['1.2.3.4:27015']);
  assert.equal(pair?.record?.status, 'pending');
});

test('a fetch with a wait returns when every inserted server has answered its first probe', async t => {
  const { fetch, probe, onInserted } = await opened(t);
  onInserted.act = () =>
    setImmediate(() => {
      probe(1);
      setImmediate(() => probe(1));
    });
  const pairs = await fetch(['1.2.3.4:27015', '5.6.7.8:27015'], 'csgo', LONG_MS);
  assert.deepEqual(
    pairs.map(({ record, inserted }) => [record?.status, inserted]),
    [
      ['online', true],
      ['online', true],
    ],
  );
});

test('a fetch with a wait also returns early if the server answers while onInserted is still running', async t => {
  const { fetch, probe, onInserted } = await opened(t);
  onInserted.act = () => probe(1);
  const [pair] = await fetch(['1.2.3.4:27015'], 'csgo', LONG_MS);
  assert.equal(pair?.record?.status, 'online');
});

test('a failed probe does not end the wait of a fetch, so the duration of the wait does not reveal the failure', async t => {
  const { fetch, store, changes, onInserted } = await opened(t);
  let over = false;
  const heard: boolean[] = [];
  const report = (become: (server: ServerRecord, now: number) => ServerRecord): void => {
    const [server] = store.getMany(['csgo 1.2.3.4:27015']);
    assert.ok(server);
    changes.publish(become(server, 1));
  };
  onInserted.act = () =>
    setImmediate(() => {
      report((server, now) => silentRecord(server, now, { reason: 'refused' }));
      setImmediate(() => {
        heard.push(over);
        report(onlineRecord);
      });
    });
  await fetch(['1.2.3.4:27015'], 'csgo', LONG_MS).then(() => {
    over = true;
  });
  assert.deepEqual(heard, [false]);
});

test('a fetch whose wait times out returns the current records', async t => {
  const { fetch } = await opened(t);
  const [pair] = await fetch(['1.2.3.4:27015'], 'csgo', 20);
  assert.deepEqual([pair?.record?.status, pair?.inserted], ['pending', true]);
});

test('a waiting fetch returns when the core shuts down, and later fetches do not wait', async t => {
  const { fetch, closing, onInserted } = await opened(t);
  onInserted.act = () => setImmediate(() => closing.abort());
  const long = 2 ** 31 - 1;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const server of ['1.2.3.4:27015', '5.6.7.8:27015']) {
    const [pair] = await fetch([server], 'csgo', long);
    assert.deepEqual([pair?.record?.status, pair?.inserted], ['pending', true]);
  }
});

test('a fetch that inserts no server does not wait', async t => {
  const { fetch } = await opened(t);
  await fetch(['1.2.3.4:27015']);
  const waiting = fetch(['1.2.3.4:27015', '127.0.0.1:27015'], 'csgo', LONG_MS);
  const first = await Promise.race([
    waiting.then(() => 'answer'),
    new Promise(r => setTimeout(r, 2_000, 'wait')),
  ]);
  assert.equal(first, 'answer');
});

test('countAddresses counts the addresses of all groups, including duplicates', () => {
  const groups = [
    { gameId: 'a', servers: ['x', 'x'] },
    { gameId: 'b', servers: [] },
    { gameId: 'c', servers: ['y'] },
  ];
  assert.equal(countAddresses(groups), 3);
});

test('a fetch returns known servers with the changes that happened while it inserted other servers', async t => {
  const { fetch, probe, onInserted } = await opened(t);
  await fetch(['1.2.3.4:27015']);
  // The known server is probed while the new server is being inserted.
  onInserted.act = () => probe(1);
  const [known] = await fetch(['1.2.3.4:27015', '5.6.7.8:27015']);
  assert.equal(known?.record?.status, 'online');
});

test('if the name servers do not reply, a fetch waits for two seconds and then returns unresolvable_host', async t => {
  const { fetch, dns } = await opened(t);
  dns.silent = true;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answer = fetch(['slow.test:27015']);
  await new Promise(setImmediate);
  t.mock.timers.tick(2_000);
  const [pair] = await answer;
  assert.equal(pair?.invalid?.reason, 'unresolvable_host');
});
