import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countAddresses, type FetchedPair } from '../../../core/servers/fetch-request.ts';
import { openedFetch } from './opened-fetch.ts';

/** Describes the result of each requested address in one line of text. */
const words = (pairs: readonly FetchedPair[]): string[] =>
  pairs.map(({ gameId, server, record, invalid, inserted }) => {
    const found = invalid ? invalid.reason : `${inserted ? 'inserted' : 'known'} as ${record?.key}`;
    return `${gameId} ${server}: ${found}`;
  });

test('a fetch inserts an unknown server and stores which token fetched it; later fetches find the server', async t => {
  const { fetch, store, inserts } = await openedFetch(t);
  assert.deepEqual(words(await fetch(['1.2.3.4:27015'])), [
    'csgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
  ]);
  assert.equal(store.getMany(['csgo 1.2.3.4:27015'])[0]?.insertedBy, 'tok_1');
  assert.deepEqual(words(await fetch(['1.2.3.4:27015'])), [
    'csgo 1.2.3.4:27015: known as csgo 1.2.3.4:27015',
  ]);
  assert.equal(inserts(), 1);
});

test('a pair of game and address gets only one result, even if a request contains it several times', async t => {
  const { fetchGroups } = await openedFetch(t);
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

test('two spellings of one address get one result each, but count as one server and one insert', async t => {
  const { fetch, store } = await openedFetch(t, { 'example.test': { a: ['1.2.3.4'] } });
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
  const { fetchGroups, store } = await openedFetch(t);
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

test('each invalid game or address in a fetch gets its own reason, and the valid addresses are answered', async t => {
  const { fetchGroups, store } = await openedFetch(t, { 'private.test': { a: ['10.0.0.1'] } });
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

test('a fetch of a tracked server does not look up its host name in the DNS', async t => {
  const { fetch, dns } = await openedFetch(t, { 'example.test': { a: ['1.2.3.4'] } });
  await fetch(['example.test:27015']);
  const asked = dns.questions.length;
  assert.ok(asked > 0);
  await fetch(['example.test:27015', 'EXAMPLE.test:27015']);
  assert.equal(dns.questions.length, asked);
});

test('a new server beyond the maximum number of tracked servers is refused with the reason `insert_quota`', async t => {
  const { fetch } = await openedFetch(t, {}, 1);
  assert.deepEqual(words(await fetch(['1.2.3.4:27015', '5.6.7.8:27015'])), [
    'csgo 1.2.3.4:27015: inserted as csgo 1.2.3.4:27015',
    'csgo 5.6.7.8:27015: insert_quota',
  ]);
});

test('if several fetches request a new server at the same time, one of them inserts it, and all return its record', async t => {
  const { fetch } = await openedFetch(t);
  const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(['1.2.3.4:27015'])));
  const pairs = answers.flat();
  assert.equal(pairs.filter(pair => pair.inserted).length, 1);
  assert.ok(pairs.every(pair => pair.record?.status === 'pending'));
});

test('countAddresses counts the addresses in all groups of a fetch request, including duplicates', () => {
  const groups = [
    { gameId: 'a', servers: ['x', 'x'] },
    { gameId: 'b', servers: [] },
    { gameId: 'c', servers: ['y'] },
  ];
  assert.equal(countAddresses(groups), 3);
});

test('a fetch that inserts a new server also shows the changes of known servers that happen during the insert', async t => {
  const { fetch, probe, onInserted } = await openedFetch(t);
  await fetch(['1.2.3.4:27015']);
  // Simulates a probe of the known server 1.2.3.4:27015 while the next fetch inserts the new server 5.6.7.8:27015.
  onInserted.act = () => probe(1);
  const [known] = await fetch(['1.2.3.4:27015', '5.6.7.8:27015']);
  assert.equal(known?.record?.status, 'online');
});
