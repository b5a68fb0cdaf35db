import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { Probes } from '../../../prober/probes/probes.ts';
import {
  challengeReply,
  minecraftStatus,
  playerReply,
  quake3Status,
  sourceInfo,
} from '../protocols/bytes.ts';
import { payloadOf } from './payload-of.ts';
import { probesOnLoopback, target } from './probes-on-loopback.ts';

const { cleanups, probes, server, online, mute } = probesOnLoopback();

test('a probe of an A2S server that demands a challenge reports all fields, including the player list', async () => {
  const ann = { name: 'Ann', score: 3, time: 10 };
  const challenge = Buffer.from([1, 2, 3, 4]);
  const replies = [challengeReply(challenge), sourceInfo({ name: 'Full', players: 1 }), playerReply([ann])];
  const game = await server((socket, from, asked) => {
    const reply = replies[asked - 1];
    if (reply) socket.send(reply, from.port, from.address);
  });
  const result = await (await probes()).probe(target([game.port]));
  const { ping, ...payload } = payloadOf(result);
  assert.ok(Number.isInteger(ping) && ping >= 0);
  assert.deepEqual(payload, {
    name: 'Full',
    map: 'de_dust2',
    players: 1,
    maxplayers: 16,
    numbots: 0,
    password: false,
    version: '1.0.0.34',
    connect: '',
    playerList: [ann],
  });
  assert.equal(game.askers.length, 3);
});

test('a probe queries the ports of a server in order until one port answers', async () => {
  const [first, second, third] = [await mute(), await online('second'), await online('third')];
  const result = await (await probes()).probe(target([first.port, second.port, third.port]));
  assert.equal(payloadOf(result).name, 'second');
  assert.equal(result.outcome === 'PROBE_OUTCOME_ONLINE' && result.queryPort, second.port);
  assert.deepEqual([first.askers.length, third.askers.length], [1, 0]);
});

test('a probe removes colour codes from the server name if the protocol has colour codes', async () => {
  const game = await server((socket, from) =>
    socket.send(
      quake3Status({ sv_hostname: '^1Red^7 room', sv_maxclients: '8' }, []),
      from.port,
      from.address,
    ),
  );
  const result = await (await probes()).probe(target([game.port], { protocol: 'quake3' }));
  assert.equal(payloadOf(result).name, 'Red room');
});

test('a probe of a FiveM server removes colour codes, and reports the version of the server program', async () => {
  const documents: Record<string, string> = {
    '/info.json': '{"server":"FXServer-master SERVER v1.0.0.5181 win32","version":1081559699}',
    '/players.json': '[{"name":"^2Ann","ping":30}]',
  };
  const web = createHttpServer(({ url = '' }, response) => response.end(documents[url]));
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  cleanups.push(() => web.close());
  const bound = web.address();
  assert.ok(bound && typeof bound === 'object');
  const info = '\\sv_maxclients\\32\\clients\\1\\hostname\\^4[^0RP^1] night\\iv\\1081559699';
  const game = createSocket('udp4');
  cleanups.push(() => game.close());
  game.on('message', (_, from) =>
    game.send(Buffer.from(`\xff\xff\xff\xffinfoResponse\n${info}`, 'latin1'), from.port, from.address),
  );
  game.bind(bound.port, '127.0.0.1');
  await once(game, 'listening');
  const fivem = target([bound.port], { protocol: 'fivem', gamedigId: 'gta5f' });
  const { name, players, maxplayers, version, playerList } = payloadOf(await (await probes(1)).probe(fivem));
  assert.deepEqual([name, players, maxplayers, version], ['[RP] night', 1, 32, '1.0.0.5181']);
  assert.deepEqual(
    playerList.map(player => player.name),
    ['Ann'],
  );
});

test('a probe over TCP reports a running Minecraft server as online and a closed port as refused', async () => {
  const game = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.end(minecraftStatus('{"players":{"max":5,"online":1},"description":"§2Green"}')),
    );
  });
  game.listen(0, '127.0.0.1');
  await once(game, 'listening');
  const bound = game.address();
  assert.ok(bound && typeof bound === 'object');
  const prober = await probes();
  const there = target([bound.port], { protocol: 'minecraft', joinPort: 25565 });
  assert.equal(payloadOf(await prober.probe(there)).name, 'Green');
  game.close();
  await once(game, 'close');
  const { signals, ...gone } = await prober.probe(there);
  assert.deepEqual(gone, { outcome: 'PROBE_OUTCOME_REFUSED', detail: 'ECONNREFUSED' });
  assert.deepEqual([signals.packetsSent, signals.packetsLost, signals.packetsRejected], [1, 1, 1]);
});

test('a probe uses gamedig if the prober does not implement the protocol itself', async () => {
  const prober = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024 });
  cleanups.push(() => prober.close());
  const game = createHttpServer((_, response) =>
    response.end(
      '{"serverName":"Aloha","map":{"name":"pinpoint"},"maxPlayers":32,"serverVersion":"0.75","players":["Ann"]}',
    ),
  );
  game.listen(0, '127.0.0.1');
  await once(game, 'listening');
  const bound = game.address();
  assert.ok(bound && typeof bound === 'object');
  const bas = target([bound.port], { protocol: 'buildandshoot', gamedigId: 'bas', joinPort: bound.port });
  const { name, map, players, maxplayers, playerList } = payloadOf(await prober.probe(bas));
  assert.deepEqual(
    [name, map, players, maxplayers, playerList[0]?.name],
    ['Aloha', 'pinpoint', 1, 32, 'Ann'],
  );
  game.closeAllConnections();
  game.close();
  await once(game, 'close');
  const { outcome, signals } = await prober.probe(bas);
  assert.equal(outcome, 'PROBE_OUTCOME_REFUSED');
  const { packetsSent, packetsLost, packetsRejected } = signals;
  assert.deepEqual([packetsSent, packetsLost, packetsRejected], [3, 1, 1]);
});

test('the secret of a server is removed from the report if the reply of the server contains the secret', async () => {
  const secret = 'a-secret-of-this-test';
  const echo = createServer(socket => {
    socket.on('error', () => {}).write('TS3\n\rWelcome.\n\r');
    socket.once('data', line => socket.write(`error id=1 msg=no:${line.toString().split(' ')[2] ?? ''}`));
  });
  echo.listen(0, '127.0.0.1');
  await once(echo, 'listening');
  cleanups.push(() => echo.close());
  const bound = echo.address();
  assert.ok(bound && typeof bound === 'object');
  const result = await (await probes()).probe(target([bound.port], { protocol: 'teamspeak3', secret }));
  assert.ok(result.outcome === 'PROBE_OUTCOME_MALFORMED', JSON.stringify(result));
  assert.match(result.detail, /^login: no:\(hidden\)/);
});
