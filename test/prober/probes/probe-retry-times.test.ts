import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { test } from 'node:test';
import { Probes } from '../../../prober/probes/probes.ts';
import { decode, encode } from '../../../prober/protocols/zandronum-huffman.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { i32 } from '../protocols/bytes.ts';
import { probesOnLoopback, target } from './probes-on-loopback.ts';

const { cleanups, probes, mute } = probesOnLoopback();

test('a postponed probe sends nothing and reports the time after which to try again', async () => {
  const prober = await Probes.open({
    warn: () => {},
    receiveBuffer: 64 * 1024,
    wheel: new TimerWheel(() => 1000),
  });
  cleanups.push(() => prober.close());
  const servers = await Promise.all(Array.from({ length: 6 }, mute));
  const asked = servers.map(({ port }) => prober.probe(target([port], { joinPort: port })));
  const held = await asked.at(-1);
  assert.ok(held?.outcome === 'PROBE_OUTCOME_HELD_BACK', held?.outcome);
  assert.ok(held.retryAfterMs > 2000 && held.retryAfterMs <= 600_000, `${held.retryAfterMs}`);
  assert.deepEqual([held.signals.packetsSent, servers.at(-1)?.askers.length], [0, 0]);
  await prober.close();
  await Promise.all(asked);
});

test('a probe reports when to try again if a Zandronum server replies that gsq queries too often', async () => {
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
