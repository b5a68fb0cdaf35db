import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { type Endpoint, NO_ROOM } from '../../../prober/answers/answer.ts';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { minecraft } from '../../../prober/protocols/minecraft.ts';
import type { StreamExchange } from '../../../prober/protocols/protocol.ts';
import { TcpDialer } from '../../../prober/transport/tcp-dialer.ts';
import { fastClock } from '../clock.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { bytes, minecraftStatus, varInt } from '../protocols/bytes.ts';
import { openStream } from '../protocols/exchange.ts';

const REPLY = minecraftStatus('{"players":{"max":5,"online":1},"description":"here"}');
const servers: Server[] = [];
const sockets = new Set<Socket>();
const clocks: { stop(): void }[] = [];
after(() => {
  for (const clock of clocks) clock.stop();
  for (const server of servers) server.close();
  for (const socket of sockets) socket.destroy();
});

async function server(serve: (socket: Socket) => void, address = '127.0.0.1') {
  const tcp = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  servers.push(tcp);
  tcp.listen(0, address);
  await once(tcp, 'listening');
  const bound = tcp.address();
  assert.ok(bound && typeof bound === 'object');
  return { address, port: bound.port };
}

function dialer(connections = 8, maxBytes = 1000) {
  const clock = fastClock();
  clocks.push(clock);
  const tcp = new TcpDialer({ connections, maxBytes, wheel: clock.wheel });
  return {
    ask: (endpoint: Endpoint, exchange: StreamExchange, ms: number, admitted = unlimitedProbe(clock.wheel)) =>
      tcp.ask(endpoint, exchange, admitted, ms),
    close: () => tcp.close(),
    wheel: clock.wheel,
  };
}

test('a TCP query sends its request, reads the reply and closes the connection', async () => {
  const tcp = dialer();
  let gone: Promise<unknown> = Promise.resolve();
  const endpoint = await server(socket => {
    gone = once(socket, 'close');
    socket.once('data', () => socket.write(REPLY));
  });
  const answer = await tcp.ask(endpoint, openStream(minecraft), 60_000);
  assert.ok(
    answer.kind === 'online' && answer.status.name === 'here' && answer.ping >= 0,
    JSON.stringify(answer),
  );
  await gone;
});

test('a TCP query reports a closed port as refused, and a missing or incomplete reply as silent', async () => {
  const tcp = dialer();
  const closed = createServer();
  closed.listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const bound = closed.address();
  assert.ok(bound && typeof bound === 'object');
  closed.close();
  await once(closed, 'close');
  const refused = await tcp.ask({ address: '127.0.0.1', port: bound.port }, openStream(minecraft), 60_000);
  assert.deepEqual(refused, { kind: 'refused', detail: 'ECONNREFUSED' });
  for (const said of [Buffer.alloc(0), REPLY.subarray(0, -1)]) {
    const endpoint = await server(socket => socket.write(said));
    assert.equal((await tcp.ask(endpoint, openStream(minecraft), 2000)).kind, 'silent');
  }
});

test('a TCP query reports a reply that is truncated, is garbage or never ends as malformed', async () => {
  const tcp = dialer();
  const endless = (socket: Socket) => {
    socket.write(varInt(200_000));
    const more = () => socket.writable && socket.write(Buffer.alloc(500), () => setImmediate(more));
    more();
  };
  for (const [serve, detail] of [
    [(socket: Socket) => socket.end(REPLY.subarray(0, 9)), /closed after 9 bytes/],
    [(socket: Socket) => socket.end(), /closed after 0 bytes/],
    [
      (socket: Socket) =>
        socket.end(bytes('SSH-2.0-OpenSSH_9.6 and so on, for as long as a packet would be. '.repeat(2))),
      /status|header|packet/,
    ],
    [endless, /more than 1000 bytes/],
  ] as const) {
    const answer = await tcp.ask(await server(serve), openStream(minecraft), 60_000);
    assert.ok(answer.kind === 'malformed' && detail.test(answer.detail), JSON.stringify(answer));
  }
});

test('the number of TCP connections is limited, and a query ends with a local fault if the queue is full', async () => {
  const tcp = dialer(2);
  let atOnce = 0;
  let most = 0;
  const endpoint = await server(socket => {
    most = Math.max(most, ++atOnce);
    socket.on('close', () => atOnce--);
    socket.once('data', () => socket.write(REPLY));
  });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => tcp.ask(endpoint, openStream(minecraft), 60_000)),
  );
  assert.deepEqual(
    answers.map(answer => answer.kind),
    ['online', 'online', 'online', 'online', 'fault', 'fault'],
  );
  assert.ok(most <= 4, `${most}`);
});

test('a TCP query connects to IPv6 addresses, but never to host names', async t => {
  const tcp = dialer();
  const named = await tcp.ask({ address: 'localhost', port: 1 }, openStream(minecraft), 60_000);
  assert.ok(named.kind === 'fault' && named.detail.includes('not an address literal'), JSON.stringify(named));
  const endpoint = await server(socket => socket.write(REPLY), '::1').catch(() => undefined);
  if (endpoint) assert.equal((await tcp.ask(endpoint, openStream(minecraft), 60_000)).kind, 'online');
  else t.diagnostic('no IPv6 on this machine');
});

test('closing the TCP dialer ends its open queries with a local fault', async () => {
  const tcp = dialer();
  let accepted = () => {};
  const here = new Promise<void>(resolve => {
    accepted = resolve;
  });
  const endpoint = await server(() => accepted());
  const answer = tcp.ask(endpoint, openStream(minecraft), 1e9);
  await here;
  tcp.close();
  assert.deepEqual(await answer, { kind: 'fault', detail: 'closed' });
});

test('a TCP connection counts as one packet, and the packet is lost if the server does not reply', async () => {
  const tcp = dialer();
  const well = await server(socket => socket.once('data', () => socket.write(REPLY)));
  const heard = unlimitedProbe(tcp.wheel);
  await tcp.ask(well, openStream(minecraft), 60_000, heard);
  assert.deepEqual([heard.packets, heard.lost], [1, 0]);
  const silent = await server(() => {});
  const unheard = unlimitedProbe(tcp.wheel);
  await tcp.ask(silent, openStream(minecraft), 2000, unheard);
  assert.deepEqual([unheard.packets, unheard.lost], [1, 1]);
});

test('a refused TCP connection counts as lost and rejected, but an established and then reset one does not', async () => {
  const tcp = dialer();
  const reset = await server(socket => socket.resetAndDestroy());
  const answered = unlimitedProbe(tcp.wheel);
  const broken = await tcp.ask(reset, openStream(minecraft), 60_000, answered);
  assert.deepEqual(broken, { kind: 'refused', detail: 'ECONNRESET' });
  assert.deepEqual([answered.packets, answered.lost, answered.rejected], [1, 0, 0]);
  const closed = servers.at(-1);
  assert.ok(closed);
  closed.close();
  await once(closed, 'close');
  const rejected = unlimitedProbe(tcp.wheel);
  const refused = await tcp.ask(reset, openStream(minecraft), 60_000, rejected);
  assert.deepEqual(refused, { kind: 'refused', detail: 'ECONNREFUSED' });
  assert.deepEqual([rejected.packets, rejected.lost, rejected.rejected], [1, 1, 1]);
});

test('a TCP query does not open a connection if the rate limits do not allow a packet', async () => {
  const tcp = dialer();
  let connections = 0;
  const endpoint = await server(() => connections++);
  const budgets = { probesAnAddress: 1, packetsAnAddress: 1, packetsANetwork: 1, packetsInAll: 1 };
  const politeness = new Politeness(budgets, tcp.wheel);
  const admitted = politeness.admit({ address: endpoint.address, ports: [endpoint.port] });
  assert.ok(admitted instanceof AdmittedProbe && admitted.reservePacket());
  const answer = tcp.ask(endpoint, openStream(minecraft), 60_000, admitted);
  await new Promise(resolve => setImmediate(resolve));
  politeness.close();
  assert.deepEqual(await answer, NO_ROOM);
  assert.equal(connections, 0);
});
