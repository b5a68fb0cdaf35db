import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { NO_ROOM } from '../../../prober/answers/answer.ts';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { minecraft } from '../../../prober/protocols/minecraft.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { openStream } from '../protocols/exchange.ts';
import { openedTcpDialers, REPLY } from './opened-tcp-dialers.ts';

const { servers, server, dialer } = openedTcpDialers();

test('a TCP query waits if there are too many connections, and ends with `fault` (local error) if the queue is full', async () => {
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

test('a TCP connection counts as one sent packet, and also as one lost packet if the server does not reply', async () => {
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

test('a TCP connection counts as a lost packet if the server refuses it, but not if the server resets it later', async () => {
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

test('a TCP query opens a connection only if the rate limits allow a packet', async () => {
  const tcp = dialer();
  let connections = 0;
  const endpoint = await server(() => connections++);
  const rateLimits = { probesAnAddress: 1, packetsAnAddress: 1, packetsANetwork: 1, packetsInAll: 1 };
  const politeness = new Politeness(rateLimits, tcp.wheel);
  const admitted = politeness.admit({ address: endpoint.address, ports: [endpoint.port] });
  assert.ok(admitted instanceof AdmittedProbe && admitted.reservePacket());
  const answer = tcp.ask(endpoint, openStream(minecraft), 60_000, admitted);
  await new Promise(resolve => setImmediate(resolve));
  politeness.close();
  assert.deepEqual(await answer, NO_ROOM);
  assert.equal(connections, 0);
});
