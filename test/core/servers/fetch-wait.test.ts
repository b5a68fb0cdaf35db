import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { onlineRecord, silentRecord } from '../record-of.ts';
import { openedFetch } from './opened-fetch.ts';

const LONG_MS = 5_000;

test('a fetch without a wait returns a new server as pending', async t => {
  const { fetch } = await openedFetch(t);
  const [pair] = await fetch(['1.2.3.4:27015']);
  assert.equal(pair?.record?.status, 'pending');
});

test('a fetch with a wait returns when every inserted server has answered its first probe', async t => {
  const { fetch, probe, onInserted } = await openedFetch(t);
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

test('a waiting fetch receives the answer of a new server, even if this answer arrives before `onInserted` returns', async t => {
  const { fetch, probe, onInserted } = await openedFetch(t);
  onInserted.act = () => probe(1);
  const [pair] = await fetch(['1.2.3.4:27015'], 'csgo', LONG_MS);
  assert.equal(pair?.record?.status, 'online');
});

test('a fetch that waits for the first reply of a new server continues to wait after a failed probe', async t => {
  const { fetch, store, changes, onInserted } = await openedFetch(t);
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
  const { fetch } = await openedFetch(t);
  const [pair] = await fetch(['1.2.3.4:27015'], 'csgo', 20);
  assert.deepEqual([pair?.record?.status, pair?.inserted], ['pending', true]);
});

test('a waiting fetch returns when the core shuts down, and later fetches do not wait', async t => {
  const { fetch, closing, onInserted } = await openedFetch(t);
  onInserted.act = () => setImmediate(() => closing.abort());
  const long = 2 ** 31 - 1;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  for (const server of ['1.2.3.4:27015', '5.6.7.8:27015']) {
    const [pair] = await fetch([server], 'csgo', long);
    assert.deepEqual([pair?.record?.status, pair?.inserted], ['pending', true]);
  }
});

test('a fetch that inserts no new server does not wait for replies', async t => {
  const { fetch } = await openedFetch(t);
  await fetch(['1.2.3.4:27015']);
  const waiting = fetch(['1.2.3.4:27015', '127.0.0.1:27015'], 'csgo', LONG_MS);
  const first = await Promise.race([
    waiting.then(() => 'answer'),
    new Promise(r => setTimeout(r, 2_000, 'wait')),
  ]);
  assert.equal(first, 'answer');
});

test('if the name servers do not reply, a fetch waits for two seconds and then returns `unresolvable_host`', async t => {
  const { fetch, dns } = await openedFetch(t);
  dns.silent = true;
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const answer = fetch(['slow.test:27015']);
  await new Promise(setImmediate);
  t.mock.timers.tick(2_000);
  const [pair] = await answer;
  assert.equal(pair?.invalid?.reason, 'unresolvable_host');
});
