import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { a2s } from '../../../prober/protocols/a2s.ts';
import { TimerWheel } from '../../../prober/transport/timer-wheel.ts';
import { UdpPool } from '../../../prober/transport/udp-pool.ts';
import { fastClock } from '../clock.ts';
import { sourceInfo } from '../protocols/bytes.ts';
import { openDatagrams } from '../protocols/exchange.ts';

const open: Socket[] = [];
const pools: UdpPool[] = [];
const clocks: { stop(): void }[] = [];
after(async () => {
  for (const socket of open) socket.close();
  for (const udp of pools) await udp.close();
  for (const clock of clocks) clock.stop();
});

/** A game server on loopback. */
async function server(
  answer: (socket: Socket, from: RemoteInfo, datagram: Buffer) => void,
  address = '127.0.0.1',
) {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  open.push(socket);
  socket.bind(0, address);
  await once(socket, 'listening');
  socket.on('message', (datagram, from) => answer(socket, from, datagram));
  return { socket, endpoint: { address, port: socket.address().port } };
}

/** A pool in time that runs fast, unless `wheel` brings its own. */
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
  return { udp, warnings };
}

test('1000 servers asked at once, none lost, none mixed up', async () => {
  // Real time, and much of it: a slow machine may be slow.
  const wheel = new TimerWheel();
  wheel.start();
  const { udp } = await pool(4 * 1024 * 1024, wheel);
  const servers = await Promise.all(
    Array.from({ length: 1000 }, (_, i) =>
      server((socket, from) => socket.send(sourceInfo({ name: `Server ${i}` }), from.port, from.address)),
    ),
  );
  const answers = await Promise.all(
    servers.map(({ endpoint }) => udp.ask(endpoint, openDatagrams(a2s), 30_000, false)),
  );
  assert.deepEqual(
    answers.map(answer => (answer.kind === 'online' ? answer.status.name : JSON.stringify(answer))),
    servers.map((_, i) => `Server ${i}`),
  );
});

test('a reply from another address or port is nobody’s', async () => {
  const { udp } = await pool();
  const stranger = createSocket('udp4');
  open.push(stranger);
  const asked = await server((_socket, from) => stranger.send(sourceInfo(), from.port, from.address));
  const answer = await udp.ask(asked.endpoint, openDatagrams(a2s), 5000, false);
  assert.deepEqual(answer, { kind: 'silent', detail: 'no reply' });
  assert.equal(udp.strayDatagrams, 1);
});

test('a reply after its time is nobody’s, and the next question is answered by its own', async () => {
  const { udp } = await pool();
  let asker: RemoteInfo | undefined;
  const slow = await server((_socket, from) => {
    asker = from;
  });
  assert.equal((await udp.ask(slow.endpoint, openDatagrams(a2s), 2000, false)).kind, 'silent');
  assert.ok(asker);
  slow.socket.send(sourceInfo({ name: 'late' }), asker.port, asker.address);
  while (udp.strayDatagrams === 0) await new Promise(resolve => setImmediate(resolve));
  slow.socket.removeAllListeners('message');
  slow.socket.on('message', (_, from) =>
    slow.socket.send(sourceInfo({ name: 'in time' }), from.port, from.address),
  );
  const answer = await udp.ask(slow.endpoint, openDatagrams(a2s), 30_000, false);
  assert.ok(answer.kind === 'online' && answer.status.name === 'in time', JSON.stringify(answer));
});

test('a status whose extras never come is online without them', async () => {
  const { udp } = await pool();
  const { endpoint } = await server((socket, from, datagram) => {
    if (datagram[4] === 0x54) socket.send(sourceInfo({ players: 3 }), from.port, from.address);
  });
  const answer = await udp.ask(endpoint, openDatagrams(a2s), 5000, false);
  assert.ok(answer.kind === 'online' && answer.status.players === 3 && !answer.status.playerList);
});

test('a server is asked from one socket always, to confirm from another; who comes while it is being asked waits for his turn', async () => {
  const { udp } = await pool();
  const ports: number[] = [];
  const askedAtAnswer: number[] = [];
  const { endpoint } = await server((socket, from) => {
    ports.push(from.port);
    // A second question in the air would be here before the next turn.
    setImmediate(() => {
      askedAtAnswer.push(ports.length);
      socket.send(sourceInfo(), from.port, from.address);
    });
  });
  const ask = (confirm: boolean) => udp.ask(endpoint, openDatagrams(a2s), 30_000, confirm);
  const answers = await Promise.all([ask(false), ask(false), ask(false)]);
  assert.deepEqual(
    answers.map(({ kind }) => kind),
    ['online', 'online', 'online'],
  );
  assert.deepEqual(askedAtAnswer, [1, 2, 3]);
  await ask(true);
  assert.equal(ports[0], ports[1]);
  assert.notEqual(ports[2], ports[3]);
});

test('IPv6, whichever way the address is written', async t => {
  const { udp, warnings } = await pool();
  if (warnings.some(text => text.startsWith('no IPv6'))) {
    t.skip('no IPv6 on this machine');
  } else {
    const { endpoint } = await server(
      (socket, from) => socket.send(sourceInfo(), from.port, from.address),
      '::1',
    );
    const answer = await udp.ask(
      { address: '0:0::0:1', port: endpoint.port },
      openDatagrams(a2s),
      30_000,
      false,
    );
    assert.equal(answer.kind, 'online', JSON.stringify(answer));
  }
});

test('what cannot be sent is a fault of ours', async () => {
  const { udp } = await pool();
  // The kernel refuses to broadcast without being asked to; nothing leaves.
  const broadcast = await udp.ask({ address: '255.255.255.255', port: 9 }, openDatagrams(a2s), 30_000, false);
  assert.ok(
    broadcast.kind === 'fault' && broadcast.detail.startsWith('cannot send: E'),
    JSON.stringify(broadcast),
  );
  const noPort = await udp.ask({ address: '127.0.0.1', port: 70_000 }, openDatagrams(a2s), 30_000, false);
  assert.equal(noPort.kind, 'fault');
});

test('says so when the kernel grants a smaller receive buffer', async () => {
  const { warnings } = await pool(0x7fffffff);
  assert.match(warnings.join(), /grants UDP receive buffers of \d+ bytes instead of 2147483647/);
});

test('closing ends what is under way as a fault of ours', async () => {
  const { udp } = await pool();
  const silent = await server(() => {});
  const answer = udp.ask(silent.endpoint, openDatagrams(a2s), 1e9, false);
  await udp.close();
  assert.deepEqual(await answer, { kind: 'fault', detail: 'closed' });
});
