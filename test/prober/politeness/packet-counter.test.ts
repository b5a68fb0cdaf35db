// Counts the packets that arrive at fake servers, to test the packet limits of the prober. The sockets are real, and
// the clock is simulated.

import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { Probes } from '../../../prober/probes/probes.ts';
import type { ProbesOptions } from '../../../prober/probes/probes-options.ts';
import { challengeReply, playerReply, sourceInfo } from '../protocols/bytes.ts';
import { ManualClock } from './manual-clock.ts';

const CROWDED = '127.77.0.2';
const HONEST = ['127.77.0.3', '127.77.1.1'];
const CHALLENGE = Buffer.from([1, 2, 3, 4]);

const sockets: Socket[] = [];
after(() => {
  for (const socket of sockets) socket.close();
});

interface Server {
  address: string;
  port: number;
}

/**
 * Starts `count` fake game servers at one address. Calls `arrived` for each packet that they receive. If the address is
 * `CROWDED`, every third server never replies.
 */
async function servers(
  address: string,
  count: number,
  arrived: (address: string) => void,
): Promise<Server[]> {
  const all: Server[] = [];
  for (let i = 0; i < count; i++) {
    const socket = createSocket('udp4');
    sockets.push(socket);
    socket.bind(0, address);
    await once(socket, 'listening');
    const silent = address === CROWDED && i % 3 === 0;
    socket.on('message', (datagram, from) => {
      arrived(address);
      if (silent) return;
      const asksPlayers = datagram[4] === 0x55;
      const challenged = datagram.includes(CHALLENGE);
      const status = asksPlayers
        ? playerReply([{ name: 'Ann', score: 1, time: 2 }])
        : sourceInfo({ players: 1 });
      socket.send(challenged ? status : challengeReply(CHALLENGE), from.port, from.address);
    });
    all.push({ address, port: socket.address().port });
  }
  return all;
}

/** Returns the largest number of packets within one second. Two packets exactly one second apart both count. */
function mostInASecond(times: readonly number[]): number {
  let most = 0;
  let from = 0;
  for (const [to, time] of times.entries()) {
    while (time - (times[from] ?? 0) > 1000) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

/**
 * Probes the servers repeatedly for `ms` of simulated time. Returns packet counts, and the number of probes with each
 * outcome.
 */
async function keepProbing(
  targets: [string, number][],
  ms: number,
  limits: ProbesOptions['rateLimits'] = {},
) {
  const clock = new ManualClock();
  const start = clock.now;
  const probes = await Probes.open({
    warn: () => {},
    receiveBuffer: 1024 * 1024,
    wheel: clock.wheel,
    rateLimits: limits,
  });
  const arrivals = new Map<string, number[]>();
  let received = 0;
  const arrived = (address: string) => {
    received++;
    const network = address.slice(0, address.lastIndexOf('.'));
    for (const scope of [address, network, 'all']) {
      const times = arrivals.get(scope);
      if (times) times.push(clock.now);
      else arrivals.set(scope, [clock.now]);
    }
  };
  const found: Server[] = [];
  for (const [address, count] of targets) found.push(...(await servers(address, count, arrived)));
  const tookMs = new Map<string, number>();
  const outcomes = new Map<string, number>();
  let due = found.map((server, i) => ({ server, at: start + ((i * 7) % 1000) }));
  let packets = 0;
  const probe = async (server: Server) => {
    const { address, port } = server;
    const began = clock.now;
    const result = await probes.probe({
      address,
      host: address,
      ports: [port],
      joinPort: port,
      protocol: 'a2s',
      gamedigId: '',
      confirm: false,
    });
    packets = Math.max(packets, result.signals.packetsSent);
    outcomes.set(`${address} ${result.outcome}`, (outcomes.get(`${address} ${result.outcome}`) ?? 0) + 1);
    tookMs.set(address, Math.max(tookMs.get(address) ?? 0, clock.now - began));
    const wait = result.outcome === 'PROBE_OUTCOME_HELD_BACK' ? result.retryAfterMs : 5000;
    due.push({ server, at: clock.now + wait });
  };
  while (clock.now < start + ms) {
    const now = due.filter(({ at }) => at <= clock.now);
    due = due.filter(({ at }) => at > clock.now);
    for (const { server } of now) void probe(server);
    // Waits until all sent packets have arrived. Then waits for some more turns of the event loop, because a reply can
    // cause another packet.
    for (let still = 0; still < 3; still++) {
      const before = received;
      await new Promise(resolve => setImmediate(resolve));
      if (received !== before || received < probes.packetsSent) still = 0;
    }
    clock.tick();
  }
  await probes.close();
  const most = (scope: string) => mostInASecond(arrivals.get(scope) ?? []);
  return { most, tookMs, outcomes, packets, received };
}

const oneAddress = process.platform !== 'linux' && 'loopback has one address here';

test('1000 servers at one address receive at most four packets a second in total, and probes of other addresses do not wait', {
  skip: oneAddress,
}, async () => {
  const seen = await keepProbing(
    [[CROWDED, 1000], ...HONEST.map((address): [string, number] => [address, 1])],
    40_000,
  );
  assert.equal(seen.most(CROWDED), 4);
  assert.ok(seen.most('127.77.0') <= 20);
  assert.equal(seen.packets, 3);
  assert.ok((seen.outcomes.get(`${CROWDED} PROBE_OUTCOME_HELD_BACK`) ?? 0) > 900);
  assert.ok((seen.outcomes.get(`${CROWDED} PROBE_OUTCOME_ONLINE`) ?? 0) > 5);
  for (const address of HONEST) {
    assert.deepEqual(
      [...seen.outcomes.keys()].filter(key => key.startsWith(`${address} `)),
      [`${address} PROBE_OUTCOME_ONLINE`],
    );
    assert.ok((seen.tookMs.get(address) ?? 99) <= 25, `${address} waited ${seen.tookMs.get(address)} ms`);
  }
});

test('all servers in one /24 network receive at most 20 packets a second', { skip: oneAddress }, async () => {
  const targets = Array.from({ length: 40 }, (_, i): [string, number] => [`127.78.0.${i + 1}`, 3]);
  const seen = await keepProbing([...targets, ['127.78.1.1', 1]], 20_000);
  assert.equal(seen.most('127.78.0'), 20);
  for (const [address] of targets) assert.ok(seen.most(address) <= 4, address);
  assert.ok((seen.tookMs.get('127.78.1.1') ?? 99) <= 25);
});

test('all addresses together receive no more packets a second than the operator allows', {
  skip: oneAddress,
}, async () => {
  const targets = Array.from({ length: 60 }, (_, i): [string, number] => [`127.79.${i}.1`, 1]);
  const seen = await keepProbing(targets, 20_000, { packetsInAll: 15 });
  assert.equal(seen.most('all'), 15);
  assert.ok(seen.received > 150, `${seen.received}`);
});
