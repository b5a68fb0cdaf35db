import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { clients } from '../../proto/clients.ts';
import type { WatchServersResponse__Output } from '../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { credentialMetadata, deadline } from '../contract/grpc.ts';
import { credentialHeaders, postFetch } from '../contract/rest.ts';
import { ask } from '../gateway/ask.ts';
import { startReceiver } from '../notifier/receiver.ts';
import { A2sServer } from '../system/a2s-server.ts';
import { EventClient } from '../system/event-client.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';

const CORES = 3;
/**
 * Number of game servers, each on its own host. One core owns all servers of a host, so several hosts are necessary
 * for several owners.
 */
const HOSTS = 12;
const LONG_MS = 120_000;

describe(`changes of servers in a service of ${CORES} cores`, () => {
  let stack: Stack;
  let games: A2sServer[] = [];
  let addresses: string[] = [];
  before(async () => {
    games = await Promise.all(
      Array.from({ length: HOSTS }, (_, i) => A2sServer.start({}, `127.0.79.${i + 1}`)),
    );
    addresses = games.map(({ address }) => address);
    stack = await Stack.start({ store: 'valkey', cores: CORES, env: { GSQ_PAGE: 'on' } });
    await until(
      'all servers online',
      () => postFetch(stack.http, [{ game_id: 'csgo', servers: addresses }]),
      ({ text }) => text.split('"status":"online"').length === HOSTS + 1,
      LONG_MS,
    );
  });
  after(async () => {
    await stack?.stop();
    for (const game of games) game.stop();
  });

  const changeMaps = (map: string): void => {
    for (const game of games) game.map = map;
  };

  test('arrive in the WatchServers streams of all cores', async t => {
    const arrived = stack.processes('core').map(core => {
      const client = clients.server(core.address('GSQ_GRPC_ADDR'));
      const request = { servers: [{ gameId: 'csgo', servers: addresses }] };
      const stream = client.watchServers(request, credentialMetadata(), deadline());
      const maps = new Map<string, string>();
      let snapshots = 0;
      stream.on('error', () => {});
      stream.on('data', ({ snapshot, change }: WatchServersResponse__Output) => {
        if (snapshot) snapshots++;
        for (const { server, payload } of [...(snapshot?.results ?? []), ...(change ? [change] : [])]) {
          maps.set(server, payload?.map ?? '');
        }
      });
      t.after(() => {
        stream.cancel();
        client.close();
      });
      return { maps, snapshots: () => snapshots };
    });
    await until('a snapshot of each core', () => arrived.every(({ snapshots }) => snapshots() > 0), Boolean);
    changeMaps('watched');
    await until(
      'the changes of all servers through each core',
      () => arrived.map(({ maps }) => addresses.filter(address => maps.get(address) !== 'watched')),
      missing => missing.flat().length === 0,
    );
    for (const { snapshots } of arrived) assert.equal(snapshots(), 1);
  });

  test('arrive in the event streams (/v1/events) of all gateways', async t => {
    const query = addresses.map(address => `server=csgo/${address}`).join('&');
    const readers = await Promise.all(
      stack
        .processes('gateway')
        .map(gateway => EventClient.open(gateway.address('GSQ_HTTP_ADDR'), `/v1/events?${query}`)),
    );
    for (const reader of readers) t.after(() => reader.close());
    await until('a snapshot', () => readers.every(({ events }) => events.length > 0), Boolean);
    changeMaps('shown');
    for (const reader of readers) {
      for (const address of addresses) await reader.untilMap(address, 'shown');
      assert.equal(reader.ending, undefined);
    }
  });

  test('cause one webhook delivery for each server, whichever core owns the server', async t => {
    const receiver = await startReceiver(t, (_request, response) => response.end('ok'));
    const answer = await ask(stack.http, {
      method: 'POST',
      path: '/v1/webhooks',
      headers: { ...credentialHeaders(bootstrap), 'Content-Type': 'application/json' },
      body: JSON.stringify({
        url: `${receiver.origin}/hook`,
        servers: [{ game_id: 'csgo', servers: addresses }],
        events: [{ event: 'map' }],
        cooldown: '0s',
      }),
    });
    assert.equal(answer.status, 200, answer.text);
    changeMaps('delivered');
    const delivered = (): string[] =>
      receiver.received.map(({ body }) => {
        const { server, after: now } = JSON.parse(body) as { server: string; after: { map: string } };
        return `${server} ${now.map}`;
      });
    await until('a delivery for each server', delivered, all => new Set(all).size === HOSTS);
    assert.deepEqual(delivered().sort(), addresses.map(address => `${address} delivered`).sort());
  });
});
