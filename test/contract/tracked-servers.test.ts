import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import { clients } from '../../proto/clients.ts';
import type { HttpBody__Output } from '../../proto/generated/google/api/HttpBody.ts';
import type { GetServerResponse__Output } from '../../proto/generated/gsq/v1/GetServerResponse.ts';
import type { ServerServiceListServersRequest } from '../../proto/generated/gsq/v1/ServerServiceListServersRequest.ts';
import type { ServerServiceListServersResponse__Output } from '../../proto/generated/gsq/v1/ServerServiceListServersResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import { until } from '../system/until.ts';
import { freshAddress } from './fresh-address.ts';
import { credentialMetadata, deadline, failure, fetchJson, fetchServers } from './grpc.ts';
import type { Finding } from './scripted-prober.ts';
import { ScriptedStack } from './scripted-stack.ts';
import { createToken, type TestToken } from './tokens.ts';

type ServerClient = ReturnType<typeof clients.server>;

/** Returns the probe result of a server with this name. */
function named(name: string, players: number, change: object = {}): Finding {
  const payload = { name, map: 'de_dust2', players, maxplayers: 32, version: '1.0', connect: '', ...change };
  return { outcome: 'PROBE_OUTCOME_ONLINE', queryPort: 27015, payload };
}

describe('a ServerService method that shows tracked servers', () => {
  let stack: ScriptedStack;
  let client: ServerClient;
  let free: TestToken;
  let pro: TestToken;
  const addresses: string[] = [];

  const list = (request: ServerServiceListServersRequest, metadata: Metadata = credentialMetadata()) =>
    unary<ServerServiceListServersResponse__Output>(done =>
      client.listServers(request, metadata, deadline(), done),
    );
  const json = (body: HttpBody__Output) => {
    assert.equal(body.contentType, 'application/json; charset=utf-8');
    return JSON.parse(body.data.toString());
  };

  before(async () => {
    stack = await ScriptedStack.start();
    client = clients.server(stack.grpc);
    free = await createToken(stack.internal);
    pro = await createToken(stack.internal, { tier: 'PRO' });
    const findings = [
      named('[EU] Straße der Zombies', 5),
      named('Zombie Escape | 24/7', 30, { map: 'ze_pirates', password: true }),
      named('Pure Vanilla', 0, { version: '2.0' }),
    ];
    for (const finding of findings) {
      const address = freshAddress();
      addresses.push(address);
      stack.prober.find('csgo', address, finding);
      await fetchServers(stack.grpc, { servers: [{ gameId: 'csgo', servers: [address] }] });
    }
    await until(
      'all servers online',
      () => list({ status: 'online' }),
      ({ totalSize }) => totalSize === 3,
    );
  });
  after(async () => {
    client.close();
    await stack.stop();
  });

  it('finds servers by the beginnings of words in their names, in any order and case', async () => {
    const found = async (q: string) => (await list({ q })).servers.map(({ server }) => server);
    assert.deepEqual(await found('zom'), [addresses[1], addresses[0]]);
    assert.deepEqual(await found('ZOMBIES strasse'), [addresses[0]]);
    assert.deepEqual(await found('24 esc'), [addresses[1]]);
    assert.deepEqual(await found('ombie'), []);
  });

  it('filters by game, status, players, map, password and version', async () => {
    const found = async (request: ServerServiceListServersRequest) =>
      (await list(request)).servers.map(({ server }) => addresses.indexOf(server));
    assert.deepEqual(await found({ game: 'csgo', sort: '-players' }), [2, 0, 1]);
    assert.deepEqual(await found({ game: 'css' }), []);
    assert.deepEqual(await found({ status: 'offline' }), []);
    assert.deepEqual(await found({ playersMin: 5 }), [1, 0]);
    assert.deepEqual(await found({ map: 'ZE_pirates' }), [1]);
    assert.deepEqual(await found({ password: true }), [1]);
    assert.deepEqual(await found({ password: false, sort: 'name' }), [0, 2]);
    assert.deepEqual(await found({ version: '2.0' }), [2]);
  });

  it('returns each page with a page token for the next page', async () => {
    const first = await list({ pageSize: 2 });
    assert.equal(first.totalSize, 3);
    assert.equal(first.servers.length, 2);
    const second = await list({ pageSize: 1, pageToken: first.nextPageToken });
    assert.deepEqual(
      second.servers.map(({ server }) => server),
      [addresses[2]],
    );
    assert.equal(second.nextPageToken, '');
    assert.equal(second.totalSize, 3);
  });

  it('refuses invalid parameters, and reports each of them', async () => {
    const faults = async (request: ServerServiceListServersRequest) => {
      const { reason, code, violations } = await failure(list(request));
      assert.equal(reason, 'QUERY_1');
      assert.equal(code, status[status.INVALID_ARGUMENT]);
      return violations?.map(({ field }) => field);
    };
    assert.deepEqual(await faults({ game: 'nonsense', sort: 'ping', status: 'up' }), [
      'game',
      'status',
      'sort',
    ]);
    assert.deepEqual(await faults({ pageSize: 1001 }), ['page_size']);
    assert.deepEqual(await faults({ q: '★\u200b' }), ['q']);
    assert.deepEqual(await faults({ q: 'x'.repeat(257), map: '\u202e' }), ['q', 'map']);
    const { nextPageToken } = await list({ pageSize: 1 });
    assert.deepEqual(await faults({ pageSize: 1, pageToken: nextPageToken, q: 'other' }), ['page_token']);
    assert.deepEqual(await faults({ pageToken: 'nonsense' }), ['page_token']);
  });

  it('shows a FREE token only the servers that it added, and a PRO token all servers', async () => {
    const address = freshAddress();
    stack.prober.find('css', address, named('Mine alone', 2));
    const metadata = credentialMetadata(free);
    await fetchServers(stack.grpc, { servers: [{ gameId: 'css', servers: [address] }] }, metadata);
    const isOnline = ({ servers }: Awaited<ReturnType<typeof list>>) =>
      servers[0]?.updater?.status === 'SERVER_STATUS_ONLINE';
    const mine = await until('own server online', () => list({}, metadata), isOnline);
    assert.deepEqual(
      mine.servers.map(({ server }) => server),
      [address],
    );
    assert.equal(mine.totalSize, 1);
    assert.equal((await list({}, credentialMetadata(pro))).totalSize, 4);
    const summary = await unary<HttpBody__Output>(done =>
      client.getSummaryJson({}, metadata, deadline(), done),
    );
    assert.deepEqual(json(summary), {
      ...{ servers: 1, online: 1, players: 2 },
      games: [{ game_id: 'css', servers: 1, online: 1, players: 2 }],
    });
  });

  it('returns a page as JSON, each server with the same payload as a fetch', async () => {
    const look = async () => {
      const body = await unary<HttpBody__Output>(done =>
        client.listServersJson({ game: 'csgo' }, credentialMetadata(), deadline(), done),
      );
      const page = json(body);
      const request = { servers: [{ gameId: 'csgo', servers: addresses }] };
      return { page, fetched: json(await fetchJson(stack.grpc, request)) };
    };
    const { page, fetched } = await until(
      'a page and a fetch without a probe between them',
      look,
      ({ page: { servers }, fetched: found }) =>
        servers.every(
          ({ server, _updater }: Record<string, Record<string, unknown>>) =>
            found[String(server)]._updater.last_probe_at === _updater?.last_probe_at,
        ),
    );
    assert.equal(page.total_size, 3);
    assert.equal(page.next_page_token, '');
    for (const { game_id, server, ...payload } of page.servers) {
      assert.equal(game_id, 'csgo');
      assert.deepEqual(payload, fetched[server]);
    }
  });

  it('returns one server, with values for the headers ETag and Cache-Control', async () => {
    const [address = ''] = addresses;
    const request = { gameId: 'csgo', server: address };
    let headers: Metadata | undefined;
    const look = async () => {
      const body = await unary<HttpBody__Output>(done => {
        const call = client.getServerJson(request, credentialMetadata(), deadline(), done);
        call.on('metadata', received => {
          headers = received;
        });
      });
      const fetched = await fetchJson(stack.grpc, { servers: [{ gameId: 'csgo', servers: [address] }] });
      return { shown: json(body), payload: json(fetched)[address] };
    };
    const { shown, payload } = await until(
      'the server and a fetch without a probe between them',
      look,
      seen => seen.shown._updater.last_probe_at === seen.payload._updater.last_probe_at,
    );
    assert.equal(JSON.stringify(shown), JSON.stringify({ game_id: 'csgo', server: address, ...payload }));
    assert.match(String(headers?.get('etag')[0]), /^"[0-9a-f]{16}"$/);
    assert.match(String(headers?.get('cache-control')[0]), /^private, max-age=\d+$/);
    const typed = await unary<GetServerResponse__Output>(done =>
      client.getServer(request, credentialMetadata(), deadline(), done),
    );
    assert.equal(typed.server?.payload?.name, '[EU] Straße der Zombies');
  });

  it('refuses a request for a server that is not tracked, and does not insert the server', async () => {
    const server = freshAddress();
    const get = (request: object) =>
      failure(unary(done => client.getServer(request, credentialMetadata(), deadline(), done)));
    assert.equal((await get({ gameId: 'csgo', server })).reason, 'SERVER_1');
    assert.equal((await get({ gameId: 'csgo', server })).reason, 'SERVER_1');
    assert.equal((await get({ gameId: 'nonsense', server })).reason, 'SERVER_1');
    const { reason, violations } = await get({ gameId: 'csgo', server: 'nonsense' });
    assert.equal(reason, 'QUERY_1');
    assert.deepEqual(
      violations?.map(({ field }) => field),
      ['server'],
    );
  });
});
