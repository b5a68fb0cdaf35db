import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { serverSeries } from '../../../core/ops/server-series.ts';
import { EmbeddedServerStore } from '../../../core/store/memory/embedded-server-store.ts';
import { readExposition } from '../../deploy/exposition.ts';
import { clockAt } from '../clock.ts';
import { payloadOf } from '../payload-of.ts';
import { onlineRecord } from '../record-of.ts';
import { scratchEngine } from '../scratch-store.ts';
import { leaseRecords } from '../store/lease-records.ts';

const INTERVAL_MS = 60_000;

/**
 * Starts an HTTP server with the metrics of three game servers: one online, one offline and one pending. Adds `others`
 * pending servers of a second game.
 */
async function opened(t: TestContext, limit: number, others = 0) {
  const clock = clockAt();
  const store = await EmbeddedServerStore.load(await scratchEngine(t), {
    now: clock.now,
    probeIntervalMs: INTERVAL_MS,
    leaseMs: 30_000,
    maxServers: 10_000,
  });
  const track = (gameId: string, address: string) =>
    store.insertIfAbsent([{ gameId, address, insertedBy: 'tok_1' }]);
  const online = (address: string) => {
    const lease = leaseRecords(store, 1)[0];
    assert.equal(lease?.server.address, address);
    const payload = payloadOf({ name: 'One', players: 5, maxplayers: 32, ping: 40 });
    const record = onlineRecord(lease.server, clock.at, { payload }, INTERVAL_MS);
    store.apply(lease.id, record);
    return record;
  };
  await track('csgo', '1.2.3.4:1');
  online('1.2.3.4:1');
  await track('csgo', '1.2.3.4:2');
  const lease = online('1.2.3.4:2');
  clock.at += INTERVAL_MS * 2;
  for (const { id, server } of leaseRecords(store, 10)) {
    const record = { ...server, nextProbeAt: clock.at + INTERVAL_MS };
    store.apply(id, server.key === lease.key ? { ...record, status: 'offline' } : record);
  }
  await track('rust', '[2001:db8::1]:1');
  for (let i = 0; i < others; i++) await track('cs', `5.5.5.5:${1000 + i}`);
  const freshness = { staleAfterMs: 600_000, probeIntervalMs: INTERVAL_MS };
  const series = serverSeries(store, limit, { now: clock.now, freshness });
  const server = createServer(series).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise(resolve => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const get = (query = '') => fetch(`http://127.0.0.1:${port}/metrics/servers${query}`);
  return { get, clock };
}

test('the metrics of single servers contain players only for online servers, and no status for pending servers', async t => {
  const { get } = await opened(t, 10);
  const answer = await get();
  assert.equal(answer.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const { samples } = readExposition(await answer.text());
  const shown = samples.map(({ name, labels, value }) => `${name} ${labels.get('server') ?? ''} ${value}`);
  assert.deepEqual(
    shown.filter(line => !line.includes('timestamp')),
    [
      'gsq_server_online 1.2.3.4:1 1',
      'gsq_server_online 1.2.3.4:2 0',
      'gsq_server_players 1.2.3.4:1 5',
      'gsq_server_max_players 1.2.3.4:1 32',
      'gsq_server_ping_seconds 1.2.3.4:1 0.04',
      'gsq_server_series_cut  0',
    ],
  );
  assert.equal(shown.length, 8, 'and when each of the two was online last');
  assert.equal(samples[0]?.labels.get('game_id'), 'csgo');
});

test('the metrics of single servers omit players, ping and status of a server that was not probed for ten minutes', async t => {
  const { get, clock } = await opened(t, 10);
  const online = async () => {
    const { samples } = readExposition(await (await get()).text());
    const figures = samples.filter(({ name }) => !/timestamp|cut/.test(name));
    return figures.map(({ name, labels, value }) => `${name} ${labels.get('server')} ${value}`);
  };
  const before = await online();
  assert.ok(before.includes('gsq_server_online 1.2.3.4:1 1'));
  assert.ok(before.includes('gsq_server_online 1.2.3.4:2 0'));
  clock.at += 600_000;
  assert.deepEqual(await online(), []);
});

test('the metrics of single servers can be filtered by game, and show no more servers than allowed', async t => {
  const { get } = await opened(t, 300, 500);
  const serversOf = async (query: string) => {
    const { samples } = readExposition(await (await get(query)).text());
    const cut = samples.find(({ name }) => name === 'gsq_server_series_cut')?.value;
    return [new Set(samples.flatMap(({ labels }) => labels.get('server') ?? [])).size, cut];
  };
  assert.deepEqual(await serversOf('?game=csgo'), [2, 0]);
  // The 500 pending servers of the first game, cs, use up the limit of 300 servers per response. Pending servers have
  // no metrics, so the response is empty.
  assert.deepEqual(await serversOf('?game=cs&game=csgo'), [0, 1]);
  assert.deepEqual(await serversOf('?game=csgo&game=csgo&game=rust'), [2, 0]);
  assert.deepEqual(await serversOf('?game='), [0, 0]);
  assert.deepEqual(await serversOf('?game=nix'), [0, 0]);
});

test('if GSQ_SERVER_SERIES is 0, a request for the metrics of single servers gets the HTTP status 404', async t => {
  const { get } = await opened(t, 0);
  const answer = await get();
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), /GSQ_SERVER_SERIES/);
});
