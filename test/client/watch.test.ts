import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { CredentialsError, hasData, NotFoundError, RestClient } from '../../client/rest-client.ts';
import { A2sServer, player } from '../system/a2s-server.ts';
import { Stack } from '../system/stack.ts';
import { bootstrap } from '../system/stack-settings.ts';
import { until } from '../system/until.ts';

const { token, tier, email } = bootstrap;
const credentials = { token, tier, email } as { token: string; tier: 'FREE' | 'PRO'; email: string };

describe('the REST client, connected to a running service', () => {
  let stack: Stack;
  let game: A2sServer;
  let client: RestClient;
  before(async () => {
    [stack, game] = await Promise.all([
      Stack.start({ processes: ['core', 'gateway', 'prober'] }),
      A2sServer.start(),
    ]);
    client = new RestClient({ baseUrl: `http://${stack.http}`, credentials });
    const groups = [{ game_id: 'csgo', servers: [game.address] }];
    await until(
      'the server is online',
      () => client.fetch(groups, { waitSeconds: 5 }),
      ({ servers }) => servers.get(game.address)?._updater.status === 'online',
    );
  });
  after(async () => {
    game?.stop();
    await stack?.stop();
  });

  const ref = () => ({ game_id: 'csgo', server: game.address });

  it('watch() yields the current state, then each change, and ends when the caller leaves the loop', async () => {
    const players: (number | undefined)[] = [];
    for await (const event of client.watch({ servers: [ref()] })) {
      const [server] = event.type === 'snapshot' ? event.servers : [event.server];
      players.push(server && hasData(server) ? server.players : undefined);
      if (event.type === 'change') break;
      game.players = [player('Ann', 1, 2)];
    }
    assert.deepEqual(players, [2, 1]);
  });

  it('watch() continues after a broken connection, and does not yield the current state a second time', async () => {
    const [host, port] = stack.http.split(':');
    const sockets = new Set<Socket>();
    const proxy = createServer(socket => {
      const upstream = connect(Number(port), host);
      sockets.add(socket);
      for (const [from, to] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
    const { port: proxyPort } = proxy.address() as AddressInfo;
    const through = new RestClient({ baseUrl: `http://127.0.0.1:${proxyPort}`, credentials });
    const types: string[] = [];
    for await (const event of through.watch({ game: 'csgo' })) {
      types.push(event.type);
      if (event.type === 'change') break;
      for (const socket of sockets) socket.destroy();
      game.players = [];
    }
    assert.deepEqual(types, ['snapshot', 'change']);
    assert.ok(sockets.size >= 2, 'the client has connected again');
    proxy.close();
  });

  it('watch() throws if the service refuses the credentials', async () => {
    const wrong = new RestClient({
      baseUrl: `http://${stack.http}`,
      credentials: { ...credentials, token: 'wrong' },
    });
    await assert.rejects(wrong.watch({ servers: [ref()] }).next(), CredentialsError);
  });

  it('reads a server, the list of servers, history, uptime, incidents, summary and status', async () => {
    assert.equal((await client.server(ref())).server, game.address);
    assert.equal((await client.servers({ game: 'csgo', status: 'online' })).total_size, 1);
    assert.equal((await client.history(ref(), { step: '15m' })).step_seconds, 900);
    assert.deepEqual(
      (await client.uptime(ref(), ['24h', '7d'])).windows.map(({ window }) => window),
      ['24h', '7d'],
    );
    assert.ok(Array.isArray((await client.incidents(ref(), { page_size: 5 })).incidents));
    assert.equal((await client.summary()).servers, 1);
    assert.equal((await client.status()).probers, 1);
    await assert.rejects(client.server({ game_id: 'csgo', server: '127.0.0.1:1' }), NotFoundError);
  });
});
