import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { minecraft } from '../../../prober/protocols/minecraft.ts';
import type { StreamProtocol } from '../../../prober/protocols/protocol.ts';
import { bytes, varInt } from '../protocols/bytes.ts';
import { openStream } from '../protocols/exchange.ts';
import { openedTcpDialers, REPLY } from './opened-tcp-dialers.ts';

const { server, dialer } = openedTcpDialers();

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

test('a TCP query reports `refused` for a closed port, and `silent` for a missing or incomplete reply', async () => {
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

test('a TCP query reports `malformed` if the reply is truncated, is garbage or never ends', async () => {
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

test('a TCP query ends with `malformed` if the reply never ends, even if the query answers each part of the reply', async () => {
  const tcp = dialer();
  const endpoint = await server(socket => {
    socket.on('data', () => socket.write(Buffer.alloc(500)));
  });
  const echo = Buffer.from('more');
  const chatty: StreamProtocol = {
    transport: 'tcp',
    colours: 'none',
    open: () => ({
      request: () => [echo],
      receive: () => ({ kind: 'send', packets: [echo] }),
      partial: () => undefined,
    }),
  };
  const answer = await tcp.ask(endpoint, openStream(chatty), 60_000);
  assert.deepEqual(answer, { kind: 'malformed', detail: 'more than 1000 bytes' });
});

test('a TCP query connects only to IP addresses, never to host names', async t => {
  const tcp = dialer();
  const named = await tcp.ask({ address: 'localhost', port: 1 }, openStream(minecraft), 60_000);
  assert.ok(named.kind === 'fault' && named.detail.includes('not an address literal'), JSON.stringify(named));
  const endpoint = await server(socket => socket.write(REPLY), '::1').catch(() => undefined);
  if (endpoint) assert.equal((await tcp.ask(endpoint, openStream(minecraft), 60_000)).kind, 'online');
  else t.diagnostic('no IPv6 on this machine');
});

test('closing the TCP dialer answers its open queries with `fault` (local error)', async () => {
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
