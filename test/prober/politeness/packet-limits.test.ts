import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admittedOf, departures, open, settled } from './opened-politeness.ts';

test('the rate limiter sends the fifth packet to an address at least one second after the first packet', () => {
  const { clock, enter } = open();
  const running = [admittedOf(enter('1.2.3.4', 1)), admittedOf(enter('1.2.3.4', 2))];
  const takes = running.flatMap(admitted => [admitted.reservePacket(), admitted.reservePacket()]);
  assert.deepEqual(takes, [true, true, true, true]);
  assert.equal(running[0]?.reservePacket(), false);
  assert.ok(admittedOf(enter('1.2.3.5')).reservePacket());
  let went = -1;
  const start = clock.now;
  running[0]?.whenRoom(room => {
    assert.ok(room);
    went = clock.now - start;
  });
  clock.pass(1000);
  assert.equal(went, -1);
  clock.pass(200);
  assert.ok(went > 1000 && went <= 1150, `${went}`);
  assert.equal(running[0]?.packets, 3);
});

test('the rate limiter sends queued packets in the order in which they were queued', async () => {
  const { clock, enter } = open({ probesAnAddress: 9 });
  const [a, b] = [admittedOf(enter('1.2.3.4', 1)), admittedOf(enter('1.2.3.4', 2))];
  for (let i = 0; i < 4; i++) assert.ok(a.reservePacket());
  const order: string[] = [];
  for (const [name, admitted] of [
    ['a', a],
    ['b', b],
    ['a', a],
    ['a', a],
    ['b', b],
  ] as const) {
    admitted.whenRoom(() => order.push(name));
  }
  clock.pass(1200);
  assert.deepEqual(order, ['a', 'b', 'a', 'a']);
  clock.pass(1200);
  assert.deepEqual(order, ['a', 'b', 'a', 'a', 'b']);
});

test('the rate limiter sends queued packets before a new packet', () => {
  const { clock, enter } = open();
  const [first, second] = [admittedOf(enter('1.2.3.4', 1)), admittedOf(enter('1.2.3.4', 2))];
  let gone = 0;
  for (let i = 0; i < 4; i++) first.reservePacket();
  for (let i = 0; i < 4; i++) first.whenRoom(() => gone++);
  // After 1.1 seconds, the rate limit allows further packets, but the timer that sends the queued packets has not fired
  // yet.
  clock.now += 1100;
  assert.equal(second.reservePacket(), false);
  assert.equal(gone, 4);
});

for (const [what, addresses, elsewhere] of [
  ['an IPv4 /24', (i: number) => `1.2.3.${i}`, '1.2.4.1'],
  ['an IPv6 /48', (i: number) => `2001:db8:1:${i + 1}::1`, '2001:db8:2:1::1'],
] as const) {
  test(`the addresses in ${what} network share a limit of 20 packets a second`, async () => {
    const { clock, enter } = open();
    const running = Array.from({ length: 12 }, (_, i) => admittedOf(enter(addresses(i))));
    assert.equal(running.filter(admitted => admitted.reservePacket()).length, 12);
    assert.equal(running.filter(admitted => admitted.reservePacket()).length, 8);
    assert.ok(admittedOf(enter(elsewhere)).reservePacket());
    const waiting = departures(clock, running, 1500);
    await settled();
    assert.equal(waiting.length, 12);
    assert.ok(Math.min(...waiting) > 1000, `${waiting}`);
  });
}

test('the rate limiter limits the number of packets per second to all addresses together', async () => {
  const { clock, enter } = open({ packetsInAll: 10 });
  const running = Array.from({ length: 6 }, (_, i) => admittedOf(enter(`1.2.${i}.1`)));
  const takes = running.flatMap(admitted => [admitted.reservePacket(), admitted.reservePacket()]);
  assert.equal(takes.filter(Boolean).length, 10);
  const waiting = departures(clock, running, 1500);
  await settled();
  assert.equal(waiting.length, 6);
  assert.ok(Math.min(...waiting) > 1000, `${waiting}`);
});

test('the rate limiter discards a packet that waited too long in the queue', async () => {
  const { clock, enter } = open({ probesAnAddress: 99 });
  const admitted = admittedOf(enter('1.2.3.4'));
  const rooms: boolean[] = [];
  for (let i = 0; i < 40; i++) admitted.waitForPacket().then(room => rooms.push(room));
  clock.pass(12_000);
  await settled();
  assert.equal(rooms.length, 40);
  assert.equal(rooms.filter(Boolean).length, admitted.packets);
  assert.ok(admitted.packets >= 16 && admitted.packets <= 20, `${admitted.packets}`);
});
