import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import type { Answer } from '../../../prober/answers/answer.ts';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { DEFAULT_RATE_LIMITS } from '../../../prober/politeness/rate-limits.ts';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import type { DatagramEndpoint } from '../../../prober/transport/datagram-socket.ts';
import { type Asker, UdpPool } from '../../../prober/transport/udp-pool.ts';
import { fastClock } from '../clock.ts';
import { endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { challengeReply, sourceInfo } from '../protocols/bytes.ts';
import { openDatagrams } from '../protocols/exchange.ts';

const open: Socket[] = [];
const pools: UdpPool[] = [];
const clocks: { stop(): void }[] = [];
after(async () => {
  for (const socket of open) socket.close();
  for (const udp of pools) await udp.close();
  for (const clock of clocks) clock.stop();
});

/** Starts a fake game server on loopback. */
async function server(
  answer: (socket: Socket, from: RemoteInfo, datagram: Buffer) => void,
  address = '127.0.0.1',
) {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  open.push(socket);
  socket.bind(0, address);
  await once(socket, 'listening');
  socket.on('message', (datagram, from) => answer(socket, from, datagram));
  return { socket, endpoint: endpointAt(address, socket.address().port) };
}

/** Sends a query and resolves to its answer. */
const answerOf = (asker: Asker, timeoutMs: number) =>
  new Promise<Answer>(resolve => asker.ask(timeoutMs, resolve));

/** Opens a UDP pool. It uses a fast clock, unless a `wheel` is passed. */
async function pool(receiveBuffer = 64 * 1024, wheel?: TimerWheel) {
  const warnings: string[] = [];
  const clock = wheel ? { wheel, stop: () => wheel.stop() } : fastClock();
  clocks.push(clock);
  const udp = await UdpPool.open({
    sockets: 4,
    receiveBuffer,
    wheel: clock.wheel,
    warn: text => warnings.push(text),
  });
  pools.push(udp);
  /** Starts a conversation with an endpoint, sends a query and resolves to its answer. */
  const ask = (
    endpoint: DatagramEndpoint,
    timeoutMs: number,
    confirm = false,
    admitted = unlimitedProbe(clock.wheel),
  ) => answerOf(udp.converse(endpoint, openDatagrams(a2s), admitted, confirm), timeoutMs);
  return { udp, ask, warnings, wheel: clock.wheel };
}

test('the UDP pool queries 1000 servers concurrently, and each query gets the reply of its own server', async () => {
  // Uses real time with a long timeout, because the test machine can be slow.
  const wheel = new TimerWheel();
  wheel.start();
  const { ask } = await pool(4 * 1024 * 1024, wheel);
  const servers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) =>
      server((socket, from) => socket.send(sourceInfo({ name: `Server ${i}` }), from.port, from.address)),
    ),
  );
  const answers = await Promise.all(servers.map(({ endpoint }) => ask(endpoint, 30_000)));
  assert.deepEqual(
    answers.map(answer => (answer.kind === 'online' ? answer.status.name : JSON.stringify(answer))),
    servers.map((_, i) => `Server ${i}`),
  );
});

test('the UDP pool ignores a reply from another address or port', async () => {
  const { udp, ask } = await pool();
  const stranger = createSocket('udp4');
  open.push(stranger);
  const asked = await server((_socket, from) => stranger.send(sourceInfo(), from.port, from.address));
  const answer = await ask(asked.endpoint, 5000);
  assert.deepEqual(answer, { kind: 'silent', detail: 'no reply' });
  assert.equal(udp.strayDatagrams, 1);
});

test('the UDP pool ignores a late reply, and the next query gets the next reply', async () => {
  const { udp, ask } = await pool();
  let asker: RemoteInfo | undefined;
  const slow = await server((_socket, from) => {
    asker = from;
  });
  assert.equal((await ask(slow.endpoint, 2000)).kind, 'silent');
  assert.ok(asker);
  slow.socket.send(sourceInfo({ name: 'late' }), asker.port, asker.address);
  while (udp.strayDatagrams === 0) await new Promise(resolve => setImmediate(resolve));
  slow.socket.removeAllListeners('message');
  slow.socket.on('message', (_, from) =>
    slow.socket.send(sourceInfo({ name: 'in time' }), from.port, from.address),
  );
  const answer = await ask(slow.endpoint, 30_000);
  assert.ok(answer.kind === 'online' && answer.status.name === 'in time', JSON.stringify(answer));
});

test('the UDP pool reports a server as online without a player list if only the player list is missing', async () => {
  const { ask } = await pool();
  const { endpoint } = await server((socket, from, datagram) => {
    if (datagram[4] === 0x54) socket.send(sourceInfo({ players: 3 }), from.port, from.address);
  });
  const answer = await ask(endpoint, 5000);
  assert.ok(answer.kind === 'online' && answer.status.players === 3 && !answer.status.playerList);
});

test('the UDP pool queries a server always from the same socket, but with `confirm` from another socket', async () => {
  const { ask } = await pool();
  const ports: number[] = [];
  const { endpoint } = await server((socket, from) => {
    ports.push(from.port);
    socket.send(sourceInfo(), from.port, from.address);
  });
  for (const confirm of [false, false, true]) {
    assert.equal((await ask(endpoint, 30_000, confirm)).kind, 'online');
  }
  assert.equal(ports[0], ports[1]);
  assert.notEqual(ports[1], ports[2]);
});

test('the UDP pool allows one conversation per endpoint, and distinguishes endpoints at one address by port', async () => {
  const { udp, ask } = await pool();
  const heard: { socket: Socket; from: RemoteInfo }[] = [];
  const servers = await Promise.all(
    Array.from({ length: 12 }, () => server((socket, from) => heard.push({ socket, from }))),
  );
  const asked = servers.map(({ endpoint }) => ask(endpoint, 1e9));
  const [first] = servers;
  assert.ok(first);
  assert.deepEqual(await ask(first.endpoint, 1e9, true), { kind: 'fault', detail: 'being asked already' });
  assert.equal(udp.inFlight, 12);
  while (heard.length < 12) await new Promise(resolve => setImmediate(resolve));
  // Sends a reply from the right address and port, but to a socket of the pool that did not send the query.
  const [one] = heard;
  const two = heard.find(({ from }) => from.port !== one?.from.port);
  assert.ok(one && two);
  one.socket.send(sourceInfo(), two.from.port, two.from.address);
  while (udp.strayDatagrams === 0) await new Promise(resolve => setImmediate(resolve));
  // Sends the replies in a mixed order.
  for (const { socket, from } of [...heard.slice(5), ...heard.slice(0, 5).reverse()]) {
    socket.send(sourceInfo({ name: `at ${socket.address().port}` }), from.port, from.address);
  }
  for (const [i, { endpoint }] of servers.entries()) {
    const answer = await asked[i];
    assert.ok(answer?.kind === 'online' && answer.status.name === `at ${endpoint.port}`);
  }
  assert.equal(udp.inFlight, 0);
});

test('the UDP pool counts the sent packets and the unanswered packets of a probe', async () => {
  const { ask, wheel } = await pool();
  const silent = await server(() => {});
  const unheard = unlimitedProbe(wheel);
  await ask(silent.endpoint, 2000, false, unheard);
  assert.deepEqual([unheard.packets, unheard.lost, unheard.challenged], [1, 1, false]);
  const well = await server((socket, from) => socket.send(sourceInfo(), from.port, from.address));
  const heard = unlimitedProbe(wheel);
  await ask(well.endpoint, 30_000, false, heard);
  assert.deepEqual([heard.packets, heard.lost], [1, 0]);
  // This server replies to the first query but never to the query for players.
  const terse = await server((socket, from, datagram) => {
    if (datagram[4] === 0x54) socket.send(sourceInfo({ players: 3 }), from.port, from.address);
  });
  const half = unlimitedProbe(wheel);
  assert.equal((await ask(terse.endpoint, 2000, false, half)).kind, 'online');
  assert.deepEqual([half.packets, half.lost], [2, 1]);
});

test('a conversation sends at most three packets, and reports that its server demanded a challenge', async () => {
  const { udp, wheel } = await pool();
  const packets: number[] = [];
  const { endpoint } = await server((socket, from, datagram) => {
    packets.push(datagram.length);
    socket.send('more', from.port, from.address);
  });
  const admitted = unlimitedProbe(wheel);
  const endless = {
    challenged: true,
    request: () => [Buffer.from('?')],
    receive: () => ({ kind: 'send' as const, packets: [Buffer.from('??'), Buffer.from('???')] }),
    partial: () => undefined,
  };
  const answer = await answerOf(udp.converse(endpoint, endless, admitted, false), 30_000);
  assert.deepEqual(answer, { kind: 'fault', detail: 'more than 3 packets' });
  assert.equal(admitted.challenged, true);
  while (packets.length < 3) await new Promise(resolve => setImmediate(resolve));
  assert.deepEqual(packets, [1, 2, 3]);
});

test('the second packet of a conversation waits for the rate limit, and its timeout starts when it is sent', async () => {
  let time = 1000;
  const wheel = new TimerWheel(() => time);
  const { ask } = await pool(64 * 1024, wheel);
  const politeness = new Politeness({ ...DEFAULT_RATE_LIMITS, packetsAnAddress: 1, packetsInAll: 99 }, wheel);
  const arrivals: number[] = [];
  const { endpoint } = await server((socket, from) => {
    arrivals.push(time);
    const reply = arrivals.length === 1 ? challengeReply(Buffer.from([1, 2, 3, 4])) : undefined;
    if (reply) socket.send(reply, from.port, from.address);
  });
  const admitted = politeness.admit({ address: '127.0.0.1', ports: [endpoint.port] });
  assert.ok(admitted instanceof AdmittedProbe);
  let over = 0;
  ask(endpoint, 2000, false, admitted).then(({ kind }) => {
    assert.equal(kind, 'silent');
    over = time;
  });
  while (over === 0) {
    await new Promise(resolve => setImmediate(resolve));
    time += 25;
    wheel.turn();
  }
  assert.equal(arrivals.length, 2);
  const [first = 0, second = 0] = arrivals;
  assert.ok(second - first > 1000 && over - second >= 2000, `${arrivals}, ${over}`);
});

test('the UDP pool queries a server over IPv6', async t => {
  const { ask, warnings } = await pool();
  if (warnings.some(text => text.startsWith('no IPv6'))) {
    t.skip('no IPv6 on this machine');
  } else {
    const { endpoint } = await server(
      (socket, from) => socket.send(sourceInfo(), from.port, from.address),
      '::1',
    );
    const answer = await ask(endpoint, 30_000);
    assert.equal(answer.kind, 'online', JSON.stringify(answer));
  }
});

test('the UDP pool reports a packet that cannot be sent as a local fault', async () => {
  const { ask } = await pool();
  // The kernel refuses to send a broadcast from this socket.
  const broadcast = await ask(endpointAt('255.255.255.255', 9), 30_000);
  assert.ok(
    broadcast.kind === 'fault' && broadcast.detail.startsWith('cannot send: E'),
    JSON.stringify(broadcast),
  );
  const noPort = await ask(endpointAt('127.0.0.1', 70_000), 30_000);
  assert.equal(noPort.kind, 'fault');
});

test('the UDP pool warns if the kernel grants a smaller receive buffer', async () => {
  const { warnings } = await pool(0x7fffffff);
  assert.match(warnings.join(), /grants UDP receive buffers of \d+ bytes instead of 2147483647/);
});

test('closing the UDP pool ends its open queries with a local fault', async () => {
  const { udp, ask } = await pool();
  const silent = await server(() => {});
  const answer = ask(silent.endpoint, 1e9);
  await udp.close();
  assert.deepEqual(await answer, { kind: 'fault', detail: 'closed' });
});
