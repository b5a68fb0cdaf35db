import assert from 'node:assert/strict';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { test } from 'node:test';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { sourceInfo } from '../protocols/bytes.ts';
import { openedUdpPools } from './opened-udp-pools.ts';

const { open, server, pool } = openedUdpPools();

test('the UDP pool queries 1000 servers concurrently, and each query gets the reply of the server that it queried', async () => {
  // Uses real timers with a long timeout, because the test machine can be slow.
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

test('the UDP pool ignores a reply that does not come from the queried address and port', async () => {
  const { udp, ask } = await pool();
  const stranger = createSocket('udp4');
  open.push(stranger);
  const asked = await server((_socket, from) => stranger.send(sourceInfo(), from.port, from.address));
  const answer = await ask(asked.endpoint, 5000);
  assert.deepEqual(answer, { kind: 'silent', detail: 'no reply' });
  assert.equal(udp.strayDatagrams, 1);
});

test('the UDP pool ignores a reply that arrives after its query has ended, and the next query gets the right reply', async () => {
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

test('the UDP pool uses one socket for all queries of a server, but a different socket to retry an unanswered probe', async () => {
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

test('the UDP pool refuses a second open query to an address and port, and finds the query of a reply by address and port', async () => {
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
  // The server `one` replies to a wrong socket: to the socket that queried the server `two`.
  const [one] = heard;
  const two = heard.find(({ from }) => from.port !== one?.from.port);
  assert.ok(one && two);
  one.socket.send(sourceInfo(), two.from.port, two.from.address);
  while (udp.strayDatagrams === 0) await new Promise(resolve => setImmediate(resolve));
  // The fake game servers reply in a different order than the order of the queries.
  for (const { socket, from } of [...heard.slice(5), ...heard.slice(0, 5).reverse()]) {
    socket.send(sourceInfo({ name: `at ${socket.address().port}` }), from.port, from.address);
  }
  for (const [i, { endpoint }] of servers.entries()) {
    const answer = await asked[i];
    assert.ok(answer?.kind === 'online' && answer.status.name === `at ${endpoint.port}`);
  }
  assert.equal(udp.inFlight, 0);
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
