import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
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

  await t.test(
    'a gamedig query follows no redirect, not even to a server that another query is using',
    async () => {
      const visited: unknown[] = [];
      let release = (): void => {};
      const held = new Promise<void>(resolve => {
        release = resolve;
      });
      const other = await httpServer(async ({ url }, response) => {
        visited.push(url);
        await held;
        response.end('{"serverName":"other","map":{"name":"m"},"maxPlayers":9,"serverVersion":"1"}');
      });
      const asked = gamedig.ask('bas', other, 20_000);
      while (visited.length === 0) await new Promise(resolve => setImmediate(resolve));
      const location = `http://127.0.0.1:${other.port}/admin`;
      const redirecting = await httpServer((_, response) => response.writeHead(302, { location }).end());
      const answer = await gamedig.ask('bas', redirecting, 20_000);
      assert.deepEqual(answer, { kind: 'malformed', detail: 'Error: Response code 302 (Found)' });
      release();
      const straight = await asked;
      assert.ok(straight.kind === 'online' && straight.status.name === 'other', JSON.stringify(straight));
      assert.deepEqual(visited, ['/json']);
    },
  );

  await t.test(
    'a gamedig query gives `malformed` for a compressed or very long reply, and the prober does not crash',
    async () => {
      // The reply consists of 17 gzip members. Its size is 160 MB after decompression.
      const spaces = gzipSync(Buffer.alloc(10_000_000, ' '));
      const bomb = Buffer.concat([gzipSync('"\u6f22'), ...Array.from({ length: 16 }, () => spaces)]);
      let accepted: string | undefined = '';
      const packed = await httpServer(({ headers }, response) => {
        accepted = headers['accept-encoding'];
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
      });
      const unpacked = await gamedig.ask('eldewrito', packed, 20_000);
      assert.ok(
        unpacked.kind === 'malformed' && /packed as gzip/.test(unpacked.detail),
        JSON.stringify(unpacked),
      );
      assert.equal(accepted, undefined);
      const long = await httpServer((_, response) => response.end(Buffer.alloc(3_000_000, ' ')));
      const cut = await gamedig.ask('eldewrito', long, 20_000);
      assert.ok(cut.kind === 'malformed' && /more than 1048576 bytes/.test(cut.detail), JSON.stringify(cut));
    },
  );

  await t.test('a gamedig query reads the reply of an ElDewrito server with a password', async () => {
    const reply = {
      ...{ name: 'Halo night', port: 11774, map: 'Guardian', numPlayers: 3, maxPlayers: 16 },
      ...{ passworded: true, eldewritoVersion: '0.6.1.0' },
    };
    const endpoint = await httpServer((_, response) => response.end(JSON.stringify(reply)));
    const answer = await gamedig.ask('eldewrito', endpoint, 20_000);
    assert.ok(answer.kind === 'online', JSON.stringify(answer));
    const { name, map, players, maxplayers, password, version } = answer.status;
    assert.deepEqual([name, map, version], ['Halo night', 'Guardian', '0.6.1.0']);
    assert.deepEqual([players, maxplayers, password], [3, 16, true]);
  });

  await t.test('a gamedig query over HTTP opens one connection for each request', async () => {
    let connections = 0;
    const server = createHttpServer(({ url }, response) =>
      response.end(
        url === '/INFO'
          ? '{"name":"Drift","clients":0,"maxclients":8,"track":"la_canyons","pass":false}'
          : '{"Cars":[]}',
      ),
    ).on('connection', () => connections++);
    cleanups.push(() => server.close());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    assert.ok(bound && typeof bound === 'object');
    const answer = await gamedig.ask('assettocorsa', { address: '127.0.0.1', port: bound.port }, 20_000);
    assert.ok(answer.kind === 'online', JSON.stringify(answer));
    assert.deepEqual([answer.status.name, answer.status.version, connections], ['Drift', '', 2]);
  });

  await t.test('a gamedig query of an IPv6 address gives `fault` (local error)', async () => {
    assert.equal((await gamedig.ask('mumble', { address: '::1', port: 9 }, 20_000)).kind, 'fault');
  });

  assert.deepEqual(warnings, []);
});
