import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { DEFAULT_RATE_LIMITS } from '../../../prober/politeness/rate-limits.ts';
import { TimerWheel } from '../../../prober/timing/timer-wheel.ts';
import { BROADCAST, endpointAt } from '../endpoint-at.ts';
import { unlimitedProbe } from '../politeness/unlimited-probe.ts';
import { challengeReply, sourceInfo } from '../protocols/bytes.ts';
import { answerOf, openedUdpPools } from './opened-udp-pools.ts';

const { server, pool } = openedUdpPools();

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
  // The fake game server `terse` replies to requests for its info, but never to requests for its players.
  const terse = await server((socket, from, datagram) => {
    if (datagram[4] === 0x54) socket.send(sourceInfo({ players: 3 }), from.port, from.address);
  });
  const half = unlimitedProbe(wheel);
  assert.equal((await ask(terse.endpoint, 2000, false, half)).kind, 'online');
  assert.deepEqual([half.packets, half.lost], [2, 1]);
});

test('a UDP query that needs more than three packets sends only three packets, and ends with `fault` (local error)', async () => {
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

test('the timeout of a UDP query does not run while a packet of the query waits for the rate limit', async () => {
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

test('the UDP pool answers a query with `fault` (local error) if a packet cannot be sent', async () => {
  const { ask } = await pool();
  // The query fails with a local error, because the kernel refuses to send a broadcast from this UDP socket.
  const broadcast = await ask(endpointAt(BROADCAST, 9), 30_000);
  assert.ok(
    broadcast.kind === 'fault' && broadcast.detail.startsWith('cannot send: E'),
    JSON.stringify(broadcast),
  );
  const noPort = await ask(endpointAt('127.0.0.1', 70_000), 30_000);
  assert.equal(noPort.kind, 'fault');
});

test('the UDP pool warns if the kernel grants a smaller receive buffer than requested', async () => {
  const { warnings } = await pool(0x7fffffff);
  assert.match(warnings.join(), /grants UDP receive buffers of \d+ bytes instead of 2147483647/);
});

test('closing the UDP pool answers its open queries with `fault` (local error)', async () => {
  const { udp, ask } = await pool();
  const silent = await server(() => {});
  const answer = ask(silent.endpoint, 1e9);
  await udp.close();
  assert.deepEqual(await answer, { kind: 'fault', detail: 'closed' });
});
