import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { clients, internalMetadata } from '../../proto/clients.ts';
import { unary } from '../core/rpc/answer.ts';
import { INTERNAL_SECRET } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';
import { deadline, FetchConversation } from './grpc.ts';
import { Clock, type InProcess, startInProcess } from './in-process.ts';
import { fetchOne, type Group, postFetch, type RestServer, serverIn } from './rest.ts';
import { noReply, online, ScriptedProber } from './scripted-prober.ts';

/**
 * Tests compressed answers to fetches. The core builds such an answer from cached compressed parts, one for each
 * server. An answer must never contain an outdated part.
 */

const ADDRESSES = ['127.0.0.1:27015', '127.0.0.1:27016', '127.0.0.1:27017'] as const;
const [CHANGING] = ADDRESSES;
/** Maximum time between two probes of a server, in seconds: one and a half times the probe interval (one minute). */
const MOST_APART_S = 90;
const groups: Group[] = [{ game_id: 'csgo', servers: [...ADDRESSES] }];
const servers = [{ gameId: 'csgo', servers: [...ADDRESSES] }];

describe('compressed answers that reuse the cached JSON of servers', () => {
  let clock: Clock;
  let service: InProcess;
  let prober: ScriptedProber;
  let conversation: FetchConversation;
  let lastId = 0;

  beforeEach(async () => {
    clock = new Clock();
    service = await startInProcess({ GSQ_PROBE_INTERVAL: '1m' }, clock.now);
    prober = new ScriptedProber(service.internal);
    conversation = new FetchConversation(service.grpc);
    for (const [i, address] of ADDRESSES.entries()) prober.find('csgo', address, online(i + 1));
    await postFetch(service.http, groups);
    for (const address of ADDRESSES) await becomes(address, ({ _updater }) => _updater.status === 'online');
  });
  afterEach(async () => {
    await conversation.end();
    prober.leave();
    await service.stop();
  });

  /**
   * Fetches a server again and again, until `holds` returns true for it. Requests uncompressed answers, so that these
   * fetches do not fill the cache of compressed parts.
   */
  const becomes = (address: string, holds: (server: RestServer) => boolean): Promise<RestServer> =>
    until(
      `${address} to change`,
      async () => {
        const one = [{ game_id: 'csgo', servers: [address] }];
        return serverIn(await postFetch(service.http, one, { 'Accept-Encoding': 'identity' }), address);
      },
      holds,
    );

  async function byStream(acceptGzip: boolean): Promise<{ text: string; gzipped: boolean }> {
    conversation.send({ id: ++lastId, fetch: { servers }, acceptGzip });
    const { fetched } = await conversation.next();
    assert.ok(fetched);
    const { body, gzipped } = fetched;
    return { text: String(gzipped ? gunzipSync(body) : body), gzipped };
  }

  /**
   * Fetches all servers several times, through REST and FetchStream, with and without compression. Checks that the
   * answers are identical, and returns one of them.
   */
  async function asked(): Promise<Record<string, RestServer>> {
    const plain = await byStream(false);
    assert.equal(plain.gzipped, false);
    const joined: boolean[] = [];
    for (let i = 0; i < 3; i++) {
      const rest = await postFetch(service.http, groups, { 'Accept-Encoding': 'gzip' });
      assert.equal(rest.headers['content-encoding'], 'gzip');
      assert.equal(rest.text, plain.text);
      const streamed = await byStream(true);
      joined.push(streamed.gzipped);
      assert.equal(streamed.text, plain.text);
      const identity = await postFetch(service.http, groups, { 'Accept-Encoding': 'identity' });
      assert.equal(identity.headers['content-encoding'], undefined);
      assert.equal(identity.bytes.toString(), plain.text);
      assert.deepEqual(await byStream(false), plain);
    }
    // FetchStream sends a compressed answer only if the compressed parts of all servers are cached. The REST fetches
    // above have filled this cache, so the FetchStream answers must be compressed.
    assert.deepEqual(joined, [true, true, true]);
    return JSON.parse(plain.text);
  }

  const playersIn = (answer: Record<string, RestServer>) =>
    ADDRESSES.map(address => answer[address]?.players);

  test('show a new player count as soon as the prober has reported it', async () => {
    assert.deepEqual(playersIn(await asked()), [1, 2, 3]);
    for (const players of [7, 8]) {
      prober.find('csgo', CHANGING, online(players));
      clock.advance(MOST_APART_S);
      await becomes(CHANGING, server => server.players === players);
      assert.deepEqual(playersIn(await asked()), [players, 2, 3]);
    }
  });

  test('show the new last_probe_at after a probe that the server did not answer', async () => {
    const before = await asked();
    for (const address of ADDRESSES) prober.find('csgo', address, noReply);
    clock.advance(MOST_APART_S);
    const probed = new Date(clock.ms).toISOString();
    for (const address of ADDRESSES)
      await becomes(address, ({ _updater }) => _updater.last_probe_at === probed);
    const after = await asked();
    for (const address of ADDRESSES) {
      assert.equal(after[address]?._updater.last_probe_at, probed);
      assert.equal(after[address]?.updated, before[address]?.updated);
    }
  });

  test('show the status `pending` and the growing age of the data while the prober reports nothing', async () => {
    prober.findings.clear();
    assert.equal((await asked())[CHANGING]?._stale, undefined);
    for (const seconds of [601, 602]) {
      clock.advance(seconds === 601 ? 601 : 1);
      const shown = (await asked())[CHANGING];
      assert.equal(shown?._stale?.age_seconds, seconds);
      assert.deepEqual([shown?._updater.status, shown?._updater.reason], ['pending', 'prober_unavailable']);
    }
    prober.find('csgo', CHANGING, online(9));
    await becomes(CHANGING, server => server.players === 9);
    const shown = (await asked())[CHANGING];
    assert.deepEqual([shown?._updater.status, shown?._stale], ['online', undefined]);
  });

  test('get a new entity tag when the data of a server becomes stale', async () => {
    prober.findings.clear();
    const { etag = '' } = (await postFetch(service.http, groups)).headers;
    const again = () => postFetch(service.http, groups, { 'If-None-Match': String(etag) });
    clock.advance(600);
    assert.equal((await again()).status, 304);
    clock.advance(1);
    const answer = await again();
    assert.equal(answer.status, 200);
    assert.notEqual(answer.headers.etag, etag);
  });

  test('show no old data of servers that were removed and then inserted again', async () => {
    await asked();
    prober.findings.clear();
    const admin = clients.admin(service.internal);
    try {
      const request = { servers: [{ gameId: 'csgo', servers: [CHANGING, ADDRESSES[1]] }] };
      await unary(done => admin.removeServers(request, internalMetadata(INTERNAL_SECRET), deadline(), done));
    } finally {
      admin.close();
    }
    for (const address of [ADDRESSES[1], CHANGING]) {
      const server = await fetchOne(service.http, 'csgo', address);
      assert.equal(server._updater.status, 'pending');
    }
    assert.deepEqual(playersIn(await asked()), [undefined, undefined, 3]);
  });
});
