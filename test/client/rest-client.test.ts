import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import {
  hasData,
  RateLimitError,
  RestClient,
  RestError,
  type RestGroup,
  type RestUpdater,
} from '../../client/rest-client.ts';
import { reasons } from '../../core/servers/server-record.ts';
import { ServiceError } from '../../proto/service-error.ts';
import { meta, refusing, renderedFetch } from '../gateway/core-scripts.ts';
import { withGateway } from '../gateway/running-gateway.ts';

const credentials = { token: 'a-token', tier: 'FREE', email: 'a@b.c' } as const;

/** Returns one group of servers of a fetch request: a game id, and `count` addresses. */
function groupOf(count: number): RestGroup {
  return { game_id: 'csgo', servers: Array.from({ length: count }, (_, i) => `a:${i + 1}`) };
}

async function failureOf(call: Promise<unknown>): Promise<RestError> {
  const outcome = await call.catch((error: unknown) => error);
  assert.ok(outcome instanceof RestError);
  return outcome;
}

test('the type RestUpdater lists exactly the reasons that the service can send in _updater.reason', () => {
  const known = {
    unprobed: true,
    no_reply: true,
    refused: true,
    malformed: true,
    unresolvable_host: true,
    blocked_address: true,
    needs_credentials: true,
    needs_option: true,
    directory_unavailable: true,
    directory_refused: true,
    not_listed: true,
    paced: true,
    prober_unavailable: true,
  } satisfies Record<NonNullable<RestUpdater['reason']>, true>;
  assert.deepEqual(Object.keys(known), reasons);
});

describe('REST client', () => {
  const { core, gateway } = withGateway();
  const client = () => new RestClient({ baseUrl: `http://${gateway.http}/`, credentials });

  test('games() returns the game catalog', async () => {
    core.games = { games: [{ id: 'csgo', name: 'CS' }], version: '1', loadedAtMs: 1, maxAgeSeconds: 60 };
    assert.deepEqual(await client().games(), [{ id: 'csgo', name: 'CS' }]);
  });

  test('fetch() sends the credentials, the servers grouped by game, the wait time and the request id', async () => {
    await client().fetch([{ game_id: 'csgo', servers: ['a:1'] }], { waitSeconds: 2, requestId: 'mine' });
    const [call] = core.calls;
    assert.deepEqual(call?.credentials, credentials);
    assert.equal(call?.requestId, 'mine');
    assert.deepEqual(call?.fetch, { servers: [{ gameId: 'csgo', servers: ['a:1'] }], waitMs: 2000 });
  });

  test('fetch() returns `_meta` and a map of the servers, even if the address of a server is `__proto__`', async () => {
    core.script = () => ({
      fetched: {
        ...renderedFetch(
          [
            { server: '__proto__', payload: Buffer.from('{"message":"not valid","_updater":{}}') },
            { server: 'a:1', payload: Buffer.from('{"name":"One","_updater":{}}') },
          ],
          meta,
        ),
      },
    });
    const { servers, meta: told } = await client().fetch([groupOf(1)]);
    assert.deepEqual([...servers.keys()], ['__proto__', 'a:1']);
    assert.deepEqual([...servers.values()].map(hasData), [false, true]);
    assert.deepEqual(told, JSON.parse(meta.toString()));
  });

  test('a request rejects with the code, status, message, details and request id if the service refuses it', async () => {
    const violations = [{ path: 'servers', message: 'too many' }];
    core.script = refusing(new ServiceError('RATE_1', 'slow down', { retryAfterSeconds: 31, violations }));
    const error = await failureOf(client().fetch([groupOf(1)], { requestId: 'mine' }));
    assert.equal(error.code, 'RATE_1');
    assert.equal(error.status, 429);
    assert.equal(error.message, 'slow down');
    assert.equal(error.retryAfterSeconds, 31);
    assert.ok(error instanceof RateLimitError);
    assert.equal(error.requestId, 'mine');
    assert.deepEqual(error.details, violations);
  });

  test('fetch() sends more than 1,000 addresses as several requests, and joins their answers', async () => {
    const { servers } = groupOf(2_200);
    await client().fetch([
      { game_id: 'csgo', servers: servers.slice(0, 1_500) },
      { game_id: 'rust', servers: servers.slice(1_500) },
    ]);
    const sizes = core.calls.map(({ fetch }) =>
      fetch?.servers?.map(({ gameId, servers }) => [gameId, servers?.length]),
    );
    assert.deepEqual(sizes, [
      [['csgo', 1_000]],
      [
        ['csgo', 500],
        ['rust', 500],
      ],
      [['rust', 200]],
    ]);
  });

  test('fetch() sends all games of an address in the same request, even if the addresses need several requests', async () => {
    await client().fetch([groupOf(1_000), { game_id: 'rust', servers: ['a:1', 'b:1'] }]);
    const servers = core.calls.map(({ fetch }) => fetch?.servers);
    assert.deepEqual(servers[0]?.[1], { gameId: 'rust', servers: ['a:1'] });
    assert.deepEqual(servers[1], [
      { gameId: 'csgo', servers: ['a:1000'] },
      { gameId: 'rust', servers: ['b:1'] },
    ]);
  });

  test('a refused request is sent again after the wait time in the answer of the service', async () => {
    const refuse = refusing(new ServiceError('RATE_1', 'slow down', { retryAfterSeconds: 0 }));
    let refusals = 1;
    core.script = (call, ...rest) => {
      if (refusals-- > 0) return refuse(call, ...rest);
      return { fetched: { ...renderedFetch([], meta) } };
    };
    assert.equal((await client().fetch([groupOf(1)])).servers.size, 0);
    assert.equal(core.calls.length, 2);
  });

  test('a request is not repeated more often than the option `retries` allows', async () => {
    core.script = refusing(new ServiceError('RATE_1', 'slow down', { retryAfterSeconds: 1 }));
    const patient = new RestClient({ baseUrl: `http://${gateway.http}`, credentials, retries: 1 });
    await failureOf(patient.fetch([groupOf(1)]));
    assert.equal(core.calls.length, 2);
  });

  test('a request ends if its AbortSignal is aborted, even while the request waits for a retry', async () => {
    core.script = refusing(new ServiceError('RATE_1', 'slow down', { retryAfterSeconds: 20 }));
    const stop = new AbortController();
    const request = client().fetch([groupOf(1)], { signal: stop.signal });
    while (core.calls.length === 0) await new Promise(resolve => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await assert.rejects(request, /enough/);
  });

  test('a client that was created without credentials sends no credential headers', async () => {
    await new RestClient({ baseUrl: `http://${gateway.http}` }).fetch([groupOf(1)]);
    assert.deepEqual(core.calls[0]?.credentials, { token: '', tier: '', email: '' });
  });

  test('a request rejects with the HTTP status and an empty error code if a proxy answers instead of the service', async () => {
    const proxy = createServer((_request, response) => response.writeHead(502).end('<html>'));
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as AddressInfo;
    const error = await failureOf(
      new RestClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 0 }).games(),
    );
    assert.equal(error.status, 502);
    assert.equal(error.code, '');
    proxy.close();
  });

  test('a request rejects with a TimeoutError if the service does not answer in time', async () => {
    core.script = () => undefined;
    const hasty = new RestClient({ baseUrl: `http://${gateway.http}`, credentials, timeoutMs: 50 });
    await assert.rejects(hasty.fetch([groupOf(1)]), { name: 'TimeoutError' });
    core.endStreams(14);
  });
});
