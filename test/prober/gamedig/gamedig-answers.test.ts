import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { HERE, openedGamedigPools } from './opened-gamedig-pools.ts';

const { cleanups, pool, realTime } = openedGamedigPools();

async function udpServer(reply: (socket: Socket, port: number, address: string) => void) {
  const socket = createSocket('udp4');
  cleanups.push(() => socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.on('message', (_, from) => reply(socket, from.port, from.address));
  return { address: '127.0.0.1', port: socket.address().port };
}

async function httpServer(listener: RequestListener, address = '127.0.0.1') {
  const server = createHttpServer(listener);
  cleanups.push(() => server.close());
  server.listen(0, address);
  await once(server, 'listening');
  const bound = server.address();
  assert.ok(bound && typeof bound === 'object');
  return { address, port: bound.port };
}

const mumblePong = (players: number, places: number) => {
  const pong = Buffer.alloc(24);
  pong.set([0, 1, 5, 735 & 0xff]);
  pong.writeUInt32BE(players, 12);
  pong.writeUInt32BE(places, 16);
  return pong;
};

test('the gamedig pool queries game servers in a worker thread', async t => {
  const { gamedig, warnings } = pool(realTime());

  await t.test('a gamedig query gives `online` if the server replies', async () => {
    const endpoint = await udpServer((socket, port, address) =>
      socket.send(mumblePong(3, 40), port, address),
    );
    const answer = await gamedig.ask('mumble', endpoint, 20_000);
    assert.ok(answer.kind === 'online', JSON.stringify(answer));
    assert.deepEqual([answer.status.players, answer.status.maxplayers, answer.status.name], [3, 40, '']);
    assert.equal(answer.status.connectPort, undefined);
  });

  await t.test('a gamedig query gives `malformed` for an A2S reply that contains only a header', async () => {
    const five = Buffer.from([0xff, 0xff, 0xff, 0xff, 0x49]);
    const endpoint = await udpServer((socket, port, address) => socket.send(five, port, address));
    const answer = await gamedig.ask('counterstrike2', endpoint, 20_000);
    assert.equal(answer.kind, 'malformed', JSON.stringify(answer));
  });

  await t.test(
    'a gamedig query gives `refused` for a closed TCP port, and `silent` for a server that never replies',
    async () => {
      const mute = createServer(socket => socket.on('error', () => {}).resume());
      mute.listen(0, '127.0.0.1');
      await once(mute, 'listening');
      const bound = mute.address();
      assert.ok(bound && typeof bound === 'object');
      const endpoint = { address: '127.0.0.1', port: bound.port };
      const silent = await gamedig.ask('openttd', endpoint, 300);
      assert.equal(silent.kind, 'silent', JSON.stringify(silent));
      mute.close();
      await once(mute, 'close');
      const refused = await gamedig.ask('openttd', endpoint, 20_000);
      assert.equal(refused.kind, 'refused', JSON.stringify(refused));
    },
  );

  await t.test('a gamedig query distinguishes a refused connection from a local error', async () => {
    for (const game of ['openttd', 'trackmaniaforever', 'hytale']) {
      const refused = await gamedig.ask(game, HERE, 20_000);
      assert.deepEqual(refused, { kind: 'refused', detail: 'ECONNREFUSED' }, game);
      // The system refuses to connect to this address, because it is the broadcast address of loopback.
      const ours = await gamedig.ask(game, { address: '127.255.255.255', port: 9 }, 20_000);
      assert.deepEqual(ours, { kind: 'fault', detail: 'cannot connect: ENETUNREACH' }, game);
    }
  });

  await t.test('a gamedig query does not follow a redirect to another host or port', async () => {
    let visited = false;
    // The target of the redirect. gsq must not connect to this server, because the query is for a different server.
    const inside = await httpServer((_, response) => {
      visited = true;
      response.end('{"serverName":"inside","map":{"name":"m"},"maxPlayers":9,"serverVersion":"1"}');
    }, '127.0.0.2');
    const location = `http://127.0.0.2:${inside.port}/json`;
    const redirecting = await httpServer((_, response) => response.writeHead(302, { location }).end());
    const answer = await gamedig.ask('bas', redirecting, 20_000);
    assert.ok(
      answer.kind === 'fault' && answer.detail.includes('may not connect to 127.0.0.2'),
      JSON.stringify(answer),
    );
    assert.equal(visited, false);
    // Tests a redirect to another port of the same address. gsq must not connect to this port either, because the
    // server there can belong to somebody else.
    const beside = await httpServer((_, response) => {
      visited = true;
      response.end('{}');
    });
    const other = `http://127.0.0.1:${beside.port}/admin`;
    const turning = await httpServer((_, response) => response.writeHead(302, { location: other }).end());
    const turned = await gamedig.ask('bas', turning, 20_000);
    assert.equal(turned.kind, 'fault', JSON.stringify(turned));
    assert.equal(visited, false);
    const straight = await gamedig.ask('bas', inside, 20_000);
    assert.ok(straight.kind === 'online' && straight.status.name === 'inside', JSON.stringify(straight));
  });

  await t.test('a gamedig query reports no player count if a Hytale server sends none', async () => {
    const about = { Basic: {}, Server: { Name: 'Named', Version: '1', MaxPlayers: 40 } };
    const endpoint = await httpServer((_, response) => response.end(JSON.stringify(about)));
    const answer = await gamedig.ask('hytale', endpoint, 20_000);
    assert.ok(answer.kind === 'online', JSON.stringify(answer));
    assert.deepEqual([answer.status.players, answer.status.maxplayers], [undefined, 40]);
  });

  await t.test('a gamedig query of an IPv6 address gives `fault` (local error)', async () => {
    assert.equal((await gamedig.ask('mumble', { address: '::1', port: 9 }, 20_000)).kind, 'fault');
  });

  assert.deepEqual(warnings, []);
});
