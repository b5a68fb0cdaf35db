import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Metadata } from '@grpc/grpc-js';
import { JsonPages } from '../../../core/rpc/server-page.ts';
import { ANSWER_ENCODING_KEY } from '../../../proto/clients.ts';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import { until } from '../../system/until.ts';
import { unary } from './answer.ts';
import { HOLD_MS, PROBE_INTERVAL_MS } from './core-components.ts';
import { runningCore } from './running-core.ts';

const ADDRESSES = ['1.2.3.4:27015', '9.9.9.9:27015', '8.8.8.8:27016'];

/** Starts a core that tracks online servers: those at `addresses`, or three. */
async function withServers(t: TestContext, trusted: boolean, addresses: readonly string[] = ADDRESSES) {
  const core = await runningCore(t, { trusted });
  const { metadata: credentials } = await core.token({ tier: 'PRO' });
  await core.track(...addresses);
  /** Lets a prober report a new name for every server. */
  const probeAll = async (name: string): Promise<void> => {
    core.clock.at += 120_000;
    const probed = core.feed.sequence + addresses.length;
    const leave = core.joinProber(name);
    core.dispatcher.wake();
    while (core.feed.sequence < probed) await new Promise(setImmediate);
    leave();
  };
  await probeAll('First');
  /** Lists the servers. `encoding`: the encoding that a gateway asks for; undefined if it asks for none. */
  const list = async (encoding?: string, request = {}) => {
    const metadata = credentials.clone();
    if (encoding !== undefined) metadata.set(ANSWER_ENCODING_KEY, encoding);
    let initial = new Metadata();
    const { data } = await unary<HttpBody__Output>(done => {
      const call = core.client.server.listServersJson(request, metadata, done);
      call.on('metadata', received => {
        initial = received;
      });
    });
    return { bytes: data, tag: initial.get('etag')[0], encoding: initial.get(ANSWER_ENCODING_KEY)[0] };
  };
  await until(
    'all servers are indexed',
    () => list().catch(() => undefined),
    page => page !== undefined && JSON.parse(page.bytes.toString()).total_size === addresses.length,
  );
  return { ...core, probeAll, list };
}

test('ListServersJson compresses its JSON only if a gateway asks for gzip, and sends the same entity tag with and without compression', async t => {
  const { list } = await withServers(t, true);
  const plain = await list();
  assert.deepEqual([plain.tag, plain.encoding], [undefined, undefined]);
  const identity = await list('identity');
  assert.match(String(identity.tag), /^W\/"[\w-]{11}"$/);
  assert.equal(identity.encoding, undefined);
  assert.deepEqual(identity.bytes, plain.bytes);
  const packed = await list('gzip');
  assert.equal(packed.encoding, 'gzip');
  assert.equal(packed.tag, identity.tag);
  assert.deepEqual(gunzipSync(packed.bytes), plain.bytes);
});

test('ListServersJson sends plain JSON without an entity tag to every caller of the public port', async t => {
  const { list } = await withServers(t, false);
  const { bytes, tag, encoding } = await list('gzip');
  assert.deepEqual([tag, encoding], [undefined, undefined]);
  assert.equal(JSON.parse(bytes.toString()).total_size, ADDRESSES.length);
});

test('after each new probe, a page of the server list has the new data and a new entity tag, even if its JSON was cached', async t => {
  const { list, probeAll, client, token } = await withServers(t, true);
  const { metadata } = await token({ tier: 'PRO' });
  const tags = new Set<unknown>();
  for (const name of ['Second', 'Third']) {
    await probeAll(name);
    // The first request renders the JSON of the servers. The second request stores the JSON in a cache, and the third
    // copies it from there.
    for (let read = 0; read < 3; read++) {
      const { bytes, tag } = await list('identity');
      tags.add(tag);
      const { servers } = JSON.parse(bytes.toString());
      assert.equal(servers.length, ADDRESSES.length);
      for (const { game_id: gameId, server, ...payload } of servers) {
        const { data } = await unary<HttpBody__Output>(done =>
          client.server.getServerJson({ gameId, server }, metadata, done),
        );
        assert.equal(payload.name, name);
        assert.deepEqual({ game_id: gameId, server, ...payload }, JSON.parse(data.toString()));
      }
    }
  }
  assert.equal(tags.size, 2);
});

test('the entity tags of two server list pages differ even if only the token for the next page differs', async t => {
  const { list } = await withServers(t, true);
  const all = await list('identity', { pageSize: 3 });
  const first = await list('identity', { pageSize: 1 });
  const byName = await list('identity', { pageSize: 1, sort: 'name' });
  assert.equal(new Set([all.tag, first.tag, byName.tag]).size, 3);
});

test('a reader who must not see the names of players gets none, even if the JSON with the names is cached', async t => {
  const { store, clock } = await withServers(t, true);
  const freshness = { staleAfterMs: HOLD_MS, probeIntervalMs: PROBE_INTERVAL_MS };
  const pages = new JsonPages({ store, freshness, now: clock.now, trusted: true });
  const list = async (seesPlayers: boolean): Promise<string> => {
    const reader = { tokenId: '', scope: 'all', seesPlayers, limitKey: '', isStranger: true } as const;
    const keys = [...ADDRESSES, '7.7.7.7:1'].map(address => `csgo ${address}`);
    const page = { reader, keys, nextPageToken: '', total: 3 };
    const { data } = await pages.answer({ metadata: new Metadata() }, page);
    return String(data);
  };
  const namesIn = (json: string): number => json.split('"Ann"').length - 1;
  for (let read = 0; read < 3; read++) {
    assert.equal(namesIn(await list(true)), ADDRESSES.length);
    assert.equal(namesIn(await list(false)), 0);
  }
  assert.equal(JSON.parse(await list(false)).servers.length, ADDRESSES.length);
});

test('pages that the core writes at the same time, in several turns of the event loop, are the same as one page after the other', async t => {
  const addresses = Array.from({ length: 40 }, (_, i) => `9.9.9.9:${27_000 + i}`);
  const { list } = await withServers(t, true, addresses);
  const requests = [{ pageSize: 40 }, { pageSize: 33 }, { pageSize: 40, sort: '-name' }];
  const alone = [];
  for (const request of requests) alone.push(await list('identity', request));
  assert.equal(JSON.parse(String(alone[0]?.bytes)).servers.length, 40);
  for (let round = 0; round < 3; round++)
    assert.deepEqual(await Promise.all(requests.map(request => list('identity', request))), alone);
});
