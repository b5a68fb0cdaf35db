import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import type { ProbeResult } from '../../../prober/probes/probe-result.ts';
import type { ProbeTarget } from '../../../prober/probes/probe-target.ts';
import { Probes } from '../../../prober/probes/probes.ts';
import { decode, encode } from '../../../prober/protocols/zandronum-huffman.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { openLinux } from '../../../prober/transport/linux.ts';
import { fastClock } from '../clock.ts';
import {
  challengeReply,
  i32,
  minecraftStatus,
  playerReply,
  quake3Status,
  sourceInfo,
} from '../protocols/bytes.ts';

const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function probes() {
  const clock = fastClock();
  const asking = await Probes.open({
    warn: () => {},
    receiveBuffer: 64 * 1024,
    wheel: clock.wheel,
  });
  cleanups.push(() => asking.close(), clock.stop);
  return asking;
}

/** Starts a fake UDP server on loopback. It records the source port of each received packet. */
async function server(answer: (socket: Socket, from: RemoteInfo, asked: number) => void) {
  const socket = createSocket('udp4');
  cleanups.push(() => socket.close());
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const askers: number[] = [];
  socket.on('message', (_, from) => answer(socket, from, askers.push(from.port)));
  return { port: socket.address().port, askers };
}

const online = (name: string) =>
  server((socket, from) => socket.send(sourceInfo({ name }), from.port, from.address));
const mute = () => server(() => {});

const target = (ports: number[], more: Partial<ProbeTarget> = {}): ProbeTarget => ({
  address: '127.0.0.1',
  host: 'play.example',
  ports,
  joinPort: 27015,
  protocol: 'a2s',
  gamedigId: 'counterstrike2',
  confirm: false,
  ...more,
});

function payloadOf(result: ProbeResult) {
  assert.equal(result.outcome, 'PROBE_OUTCOME_ONLINE', JSON.stringify(result));
  if (result.outcome !== 'PROBE_OUTCOME_ONLINE') throw new TypeError('not online');
  return result.payload;
}

test('a probe of an A2S server with a challenge and a player list reports a complete payload', async () => {
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

test('a probe sends one packet to a silent server, and a probe with `confirm` uses another socket', async () => {
  const asking = await probes();
  const silent = await mute();
  const { signals, ...nothing } = await asking.probe(target([silent.port]));
  assert.deepEqual(nothing, { outcome: 'PROBE_OUTCOME_NO_REPLY', detail: 'no reply' });
  assert.deepEqual([signals.packetsSent, signals.packetsLost], [1, 1]);
  await asking.probe(target([silent.port]));
  assert.equal(silent.askers[0], silent.askers[1]);
  await asking.probe(target([silent.port], { confirm: true }));
  assert.notEqual(silent.askers[0], silent.askers[2]);
  assert.equal(silent.askers.length, 3);
});

test('a probe reports `malformed` if one port sends garbage and another port does not answer', async () => {
  const junk = await server((socket, from) => socket.send('\xff\xff\xff\xffI', from.port, from.address));
  const silent = await mute();
  const result = await (await probes()).probe(target([junk.port, silent.port]));
  assert.equal(result.outcome, 'PROBE_OUTCOME_MALFORMED');
});

describe('a probe of a closed UDP port', { skip: !(await openLinux())?.errorQueues }, () => {
  /** Port on which no process listens, because the system never assigns it. */
  const closed = 9;

  for (const address of ['127.0.0.1', '::1']) {
    test(`reports \`refused\` without waiting for the timeout, at ${address}`, async () => {
      // The time of the wheel never advances, so no timeout can end the probe.
      const asking = await Probes.open({
        warn: () => {},
        receiveBuffer: 64 * 1024,
        wheel: new TimerWheel(() => 1000),
      });
      cleanups.push(() => asking.close());
      const { signals, ...refused } = await asking.probe(target([closed], { address }));
      assert.deepEqual(refused, { outcome: 'PROBE_OUTCOME_REFUSED', detail: 'ECONNREFUSED' });
      assert.deepEqual(signals, {
        packetsSent: 1,
        packetsLost: 1,
        packetsRejected: 1,
        challenged: false,
        address,
      });
    });
  }

  test('queries the next port too, and reports `refused` if the next port does not answer', async () => {
    const asking = await probes();
    const [here, silent] = [await online('here'), await mute()];
    const found = await asking.probe(target([closed, here.port]));
    assert.equal(payloadOf(found).name, 'here');
    assert.deepEqual([found.signals.packetsLost, found.signals.packetsRejected], [1, 1]);
    const nothing = await asking.probe(target([closed, silent.port]));
    assert.equal(nothing.outcome, 'PROBE_OUTCOME_REFUSED');
    assert.deepEqual([nothing.signals.packetsLost, nothing.signals.packetsRejected], [2, 1]);
  });
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
  const asking = await probes();
  const there = target([bound.port], { protocol: 'minecraft', joinPort: 25565 });
  assert.equal(payloadOf(await asking.probe(there)).name, 'Green');
  game.close();
  await once(game, 'close');
  const { signals, ...gone } = await asking.probe(there);
  assert.deepEqual(gone, { outcome: 'PROBE_OUTCOME_REFUSED', detail: 'ECONNREFUSED' });
  assert.deepEqual([signals.packetsSent, signals.packetsLost, signals.packetsRejected], [1, 1, 1]);
});

test('a probe uses gamedig if the prober does not implement the protocol itself', async () => {
  const asking = await Probes.open({ warn: () => {}, receiveBuffer: 64 * 1024 });
  cleanups.push(() => asking.close());
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
  const { name, map, players, maxplayers, playerList } = payloadOf(await asking.probe(bas));
  assert.deepEqual(
    [name, map, players, maxplayers, playerList[0]?.name],
    ['Aloha', 'pinpoint', 1, 32, 'Ann'],
  );
  game.closeAllConnections();
  game.close();
  await once(game, 'close');
  const { outcome, signals } = await asking.probe(bas);
  assert.equal(outcome, 'PROBE_OUTCOME_REFUSED');
  const { packetsSent, packetsLost, packetsRejected } = signals;
  assert.deepEqual([packetsSent, packetsLost, packetsRejected], [3, 1, 1]);
});

test('a probe reports a local error as a fault of the prober, not as a failure of the server', async () => {
  const asking = await probes();
  // The address is the broadcast address of loopback, and the system refuses to connect to any broadcast address.
  const unreachable = { address: '127.255.255.255', protocol: 'buildandshoot', gamedigId: 'bas' };
  const { outcome, signals } = await asking.probe(target([27015], unreachable));
  assert.equal(outcome, 'PROBE_OUTCOME_PROBER_FAULT');
  assert.deepEqual([signals.packetsLost, signals.packetsRejected], [0, 0]);
  assert.equal((await asking.probe(target([]))).outcome, 'PROBE_OUTCOME_PROBER_FAULT');
  const elsewhere = { address: '127.0.0.2' };
  assert.equal((await asking.probe(target([70_000], elsewhere))).outcome, 'PROBE_OUTCOME_PROBER_FAULT');
  assert.equal(
    (await asking.probe(target([70_000], { ...elsewhere, protocol: 'minecraft' }))).outcome,
    'PROBE_OUTCOME_PROBER_FAULT',
  );
  const silent = await mute();
  const cut = asking.probe(target([silent.port]));
  await asking.close();
  assert.equal((await cut).outcome, 'PROBE_OUTCOME_PROBER_FAULT');
});

test('a probe reports the number of lost packets, and the queried address if the host is a name', async () => {
  const asking = await probes();
  const half = await server((socket, from, asked) => {
    if (asked === 1) socket.send(challengeReply(Buffer.from([1, 2, 3, 4])), from.port, from.address);
  });
  const { signals } = await asking.probe(target([half.port]));
  assert.deepEqual(signals, {
    packetsSent: 2,
    packetsLost: 1,
    packetsRejected: 0,
    challenged: true,
    address: '127.0.0.1',
  });
  const well = await online('well');
  const named = await asking.probe(target([well.port], { host: '127.0.0.1' }));
  assert.deepEqual([named.signals.packetsLost, named.signals.address], [0, '']);
});

test('a postponed probe sends nothing and reports the time after which to try again', async () => {
  const asking = await Probes.open({
    warn: () => {},
    receiveBuffer: 64 * 1024,
    wheel: new TimerWheel(() => 1000),
  });
  cleanups.push(() => asking.close());
  const servers = await Promise.all(Array.from({ length: 6 }, mute));
  const asked = servers.map(({ port }) => asking.probe(target([port], { joinPort: port })));
  const held = await asked.at(-1);
  assert.ok(held?.outcome === 'PROBE_OUTCOME_HELD_BACK', held?.outcome);
  assert.ok(held.retryAfterMs > 2000 && held.retryAfterMs <= 600_000, `${held.retryAfterMs}`);
  assert.deepEqual([held.signals.packetsSent, servers.at(-1)?.askers.length], [0, 0]);
  await asking.close();
  await Promise.all(asked);
});

test('a probe reports when to try again if a Zandronum server says that it was queried too often', async () => {
  const game = createSocket('udp4');
  cleanups.push(() => game.close());
  game.bind(0, '127.0.0.1');
  await once(game, 'listening');
  game.on('message', (question, from) => {
    const number = decode(question).subarray(8, 12);
    game.send(encode(Buffer.concat([i32(5_660_024), number])), from.port, from.address);
  });
  const asked = target([game.address().port], { protocol: 'zandronum' });
  const { signals, ...found } = await (await probes()).probe(asked);
  const detail = 'the server was asked a moment ago';
  assert.deepEqual(found, { outcome: 'PROBE_OUTCOME_PACED', detail, retryAfterMs: 10_000 });
  assert.deepEqual([signals.packetsSent, signals.packetsLost], [1, 0]);
});

test('a probe over HTTP reports when to try again if the server replies with a 503 and Retry-After', async () => {
  const busy = createHttpServer((_, response) => response.writeHead(503, { 'Retry-After': '120' }).end());
  busy.listen(0, '127.0.0.1');
  await once(busy, 'listening');
  cleanups.push(() => busy.close());
  const bound = busy.address();
  assert.ok(bound && typeof bound === 'object');
  const { signals, ...found } = await (await probes()).probe(target([bound.port], { protocol: 'eco' }));
  const outcome = 'PROBE_OUTCOME_DIRECTORY_UNAVAILABLE';
  assert.deepEqual(found, { outcome, detail: 'HTTP 503', retryAfterMs: 120_000 });
  assert.deepEqual([signals.packetsSent, signals.packetsLost], [1, 0]);
});

test('the secret of a server is removed from the report if the server repeats it in its reply', async () => {
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
