import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { Politeness } from '../../../prober/politeness/politeness.ts';
import { DEFAULT_RATE_LIMITS, type RateLimits } from '../../../prober/politeness/rate-limits.ts';
import type { HeldBack } from '../../../prober/politeness/reservations.ts';
import { ManualClock } from './manual-clock.ts';

const BUDGETS: RateLimits = { ...DEFAULT_RATE_LIMITS, packetsInAll: 50_000 };
const FREE = { packetsAnAddress: 999, packetsANetwork: 999 };

function open(limits: Partial<RateLimits> = {}, mostAddresses?: number) {
  const clock = new ManualClock();
  const politeness = new Politeness({ ...BUDGETS, ...limits }, clock.wheel, mostAddresses);
  return {
    clock,
    politeness,
    enter: (address: string, port = 1) => politeness.admit({ address, ports: [port] }),
  };
}

function visitOf(entry: AdmittedProbe | HeldBack | Promise<AdmittedProbe | HeldBack>): AdmittedProbe {
  assert.ok(entry instanceof AdmittedProbe, 'held back, or waits');
  return entry;
}

function retryOf(entry: AdmittedProbe | HeldBack | Promise<AdmittedProbe | HeldBack>): number {
  assert.ok('retryAfterMs' in entry, 'not held back');
  return entry.retryAfterMs;
}

/**
 * Requests a packet for each probe and advances the clock. Returns the times at which the packets are sent, ms from
 * now.
 */
function departures(clock: ManualClock, running: AdmittedProbe[], ms: number): number[] {
  const start = clock.now;
  const gone: number[] = [];
  for (const admitted of running) admitted.waitForPacket().then(room => room && gone.push(clock.now - start));
  clock.pass(ms);
  return gone;
}

const settled = () => new Promise(resolve => setImmediate(resolve));

test('the rate limiter admits two probes at an address, and a third probe when one of them ends', async () => {
  const { politeness, enter } = open({ packetsAnAddress: 999 });
  const [first] = [visitOf(enter('1.2.3.4', 1)), visitOf(enter('1.2.3.4', 2))];
  const third = enter('1.2.3.4', 3);
  assert.ok(third instanceof Promise);
  visitOf(enter('1.2.3.5', 1));
  politeness.release(first);
  assert.deepEqual(visitOf(await third).ports, [3]);
});

test('the rate limiter admits an urgent probe before other probes that wait at the same address', async () => {
  const { politeness, enter } = open({ packetsAnAddress: 999 });
  const [first, second] = [visitOf(enter('1.2.3.4', 1)), visitOf(enter('1.2.3.4', 2))];
  const order: string[] = [];
  const waiting = Promise.resolve(enter('1.2.3.4', 3)).then(() => order.push('waiting'));
  const urgent = Promise.resolve(politeness.admit({ address: '1.2.3.4', ports: [4], urgent: true })).then(
    () => order.push('urgent'),
  );
  politeness.release(first);
  await urgent;
  politeness.release(second);
  await waiting;
  assert.deepEqual(order, ['urgent', 'waiting']);
});

test('in the networks of the operator, only the total packet limit and one probe per port apply', async () => {
  const { clock, politeness } = open({ packetsInAll: 100 });
  const running = Array.from({ length: 30 }, (_, i) =>
    visitOf(politeness.admit({ address: '10.0.0.1', ports: [i + 1], own: true })),
  );
  assert.ok(politeness.admit({ address: '10.0.0.1', ports: [7], own: true }) instanceof Promise);
  const packets = [...running, ...running, ...running, ...running];
  assert.equal(packets.filter(admitted => admitted.reservePacket()).length, 100);
  clock.pass(1_100);
  assert.equal(packets.filter(admitted => admitted.reservePacket()).length, 100);
});

test('the rate limiter never lets two probes query the same port at the same time', async () => {
  const { politeness } = open({ packetsAnAddress: 999 });
  const first = visitOf(politeness.admit({ address: '1.2.3.4', ports: [1, 2] }));
  const order: string[] = [];
  const overlapping = Promise.resolve(politeness.admit({ address: '1.2.3.4', ports: [3, 2] })).then(entry => {
    order.push('overlapping');
    return entry;
  });
  const other = Promise.resolve(politeness.admit({ address: '1.2.3.4', ports: [4] })).then(() =>
    order.push('other'),
  );
  await settled();
  assert.deepEqual(order, []);
  politeness.release(first);
  await Promise.all([overlapping, other]);
  assert.deepEqual(order, ['overlapping', 'other']);
});

test('the rate limiter postpones a probe that waited too long for other probes at its address', async () => {
  const { clock, enter } = open({ packetsAnAddress: 999 });
  visitOf(enter('1.2.3.4', 1));
  visitOf(enter('1.2.3.4', 2));
  const third = enter('1.2.3.4', 3);
  clock.pass(5100);
  assert.ok(retryOf(await third) >= 0);
});

test('the rate limiter allows four packets to an address, and the fifth more than a second after the first', () => {
  const { clock, enter } = open();
  const running = [visitOf(enter('1.2.3.4', 1)), visitOf(enter('1.2.3.4', 2))];
  const takes = running.flatMap(admitted => [admitted.reservePacket(), admitted.reservePacket()]);
  assert.deepEqual(takes, [true, true, true, true]);
  assert.equal(running[0]?.reservePacket(), false);
  assert.ok(visitOf(enter('1.2.3.5')).reservePacket());
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
  const [a, b] = [visitOf(enter('1.2.3.4', 1)), visitOf(enter('1.2.3.4', 2))];
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
  const [first, second] = [visitOf(enter('1.2.3.4', 1)), visitOf(enter('1.2.3.4', 2))];
  let gone = 0;
  for (let i = 0; i < 4; i++) first.reservePacket();
  for (let i = 0; i < 4; i++) first.whenRoom(() => gone++);
  // The rate limit allows packets again, but the timing wheel has not fired the timer of the queued packets yet.
  clock.now += 1100;
  assert.equal(second.reservePacket(), false);
  assert.equal(gone, 4);
});

for (const [what, addresses, elsewhere] of [
  ['an IPv4 /24', (i: number) => `1.2.3.${i}`, '1.2.4.1'],
  ['an IPv6 /48', (i: number) => `2001:db8:1:${i + 1}::1`, '2001:db8:2:1::1'],
] as const) {
  test(`the rate limiter allows 20 packets a second to one network, which is ${what}`, async () => {
    const { clock, enter } = open();
    const running = Array.from({ length: 12 }, (_, i) => visitOf(enter(addresses(i))));
    assert.equal(running.filter(admitted => admitted.reservePacket()).length, 12);
    assert.equal(running.filter(admitted => admitted.reservePacket()).length, 8);
    assert.ok(visitOf(enter(elsewhere)).reservePacket());
    const waiting = departures(clock, running, 1500);
    await settled();
    assert.equal(waiting.length, 12);
    assert.ok(Math.min(...waiting) > 1000, `${waiting}`);
  });
}

test('the rate limiter limits the number of packets to all addresses together', async () => {
  const { clock, enter } = open({ packetsInAll: 10 });
  const running = Array.from({ length: 6 }, (_, i) => visitOf(enter(`1.2.${i}.1`)));
  const takes = running.flatMap(admitted => [admitted.reservePacket(), admitted.reservePacket()]);
  assert.equal(takes.filter(Boolean).length, 10);
  const waiting = departures(clock, running, 1500);
  await settled();
  assert.equal(waiting.length, 6);
  assert.ok(Math.min(...waiting) > 1000, `${waiting}`);
});

test('the rate limiter drops a packet that waited too long in the queue', async () => {
  const { clock, enter } = open({ probesAnAddress: 99 });
  const admitted = visitOf(enter('1.2.3.4'));
  const rooms: boolean[] = [];
  for (let i = 0; i < 40; i++) admitted.waitForPacket().then(room => rooms.push(room));
  clock.pass(12_000);
  await settled();
  assert.equal(rooms.length, 40);
  assert.equal(rooms.filter(Boolean).length, admitted.packets);
  assert.ok(admitted.packets >= 16 && admitted.packets <= 20, `${admitted.packets}`);
});

test('the rate limiter postpones probes that would wait over two seconds, by at most ten minutes', () => {
  const { enter } = open();
  const entries = Array.from({ length: 1000 }, (_, i) => enter('1.2.3.4', i + 1));
  const retries = entries.flatMap(entry => ('retryAfterMs' in entry ? [entry.retryAfterMs] : []));
  assert.ok(retries.length > 990, `${retries.length}`);
  assert.ok(Math.min(...retries) > 2000 && Math.max(...retries) === 600_000);
  const sooner = retries.filter(retry => retry < 600_000);
  // A probe is assumed to take 2.5 packets, and four packets a second are allowed, so a probe takes over 600 ms.
  for (const [i, retry] of sooner.entries()) {
    if (i > 0) assert.ok(retry - (sooner[i - 1] ?? 0) > 600, `${retry}`);
  }
});

test('the rate limiter keeps a reservation if the server tries too early, and admits the server at its time', async () => {
  const { clock, politeness, enter } = open();
  const probe = async (port: number) => {
    const entry = await enter('1.2.3.4', port);
    if (entry instanceof AdmittedProbe) politeness.release(entry);
    return entry;
  };
  for (let port = 1; port < 50; port++) await probe(port);
  const retry = retryOf(await probe(50));
  const promised = clock.now + retry;
  let newcomer = 1000;
  while (clock.now < promised - 3000) {
    clock.pass(500);
    assert.equal(retryOf(await probe(50)), Math.ceil(promised - clock.now));
    // A new server must get a reservation after the reserved time of server 50.
    assert.ok(clock.now + retryOf(await probe(newcomer++)) > promised);
  }
  clock.pass(3000);
  assert.ok((await probe(50)) instanceof AdmittedProbe);
});

test('the rate limiter serves 1000 servers at one address in turn, and does not delay another address nearby', async () => {
  const { clock, politeness } = open();
  // Uses a Weyl sequence, so that the pseudo-random numbers are the same in each run.
  let drawn = 0;
  const random = () => (++drawn * 0.618_033_988_75) % 1;
  const served = new Map<number, number>();
  const due: { port: number; at: number }[] = [];
  for (let port = 1; port <= 1000; port++) due.push({ port, at: clock.now + random() * 60_000 });
  let waiting = 0;
  const probe = async (port: number) => {
    waiting++;
    const entry = await politeness.admit({ address: '1.2.3.4', ports: [port] });
    waiting--;
    if ('retryAfterMs' in entry) {
      due.push({ port, at: clock.now + entry.retryAfterMs });
      return;
    }
    for (let i = 0; i < 2; i++) assert.ok(await entry.waitForPacket());
    served.set(port, (served.get(port) ?? 0) + 1);
    politeness.release(entry);
    due.push({ port, at: clock.now + 30_000 + random() * 60_000 });
  };
  let neighbourAt = 0;
  while (clock.now < 3_600_000) {
    for (let i = due.length - 1; i >= 0; i--) {
      const next = due[i];
      if (!next || next.at > clock.now) continue;
      due.splice(i, 1);
      void probe(next.port);
    }
    if (clock.now >= neighbourAt) {
      const admitted = visitOf(politeness.admit({ address: '1.2.3.200', ports: [1] }));
      assert.ok(admitted.reservePacket() && admitted.reservePacket(), 'the neighbour waits');
      politeness.release(admitted);
      neighbourAt = clock.now + 10_000;
    }
    clock.pass(250);
    await settled();
    assert.ok(waiting <= 8, `${waiting} wait inside`);
  }
  const counts = [...served.values()].sort((a, b) => a - b);
  assert.equal(counts.length, 1000);
  const [least = 0, most = 0] = [counts[0], counts.at(-1)];
  // In one hour the packet limit allows about five probes of each server.
  assert.ok(least >= 4 && most - least <= 2, `between ${least} and ${most}`);
});

test('the rate limiter assigns different reservations to 250 servers at different addresses of one network', async () => {
  const { clock, politeness } = open();
  const entries = Array.from({ length: 250 }, (_, i) =>
    politeness.admit({ address: `1.2.3.${i}`, ports: [1] }),
  );
  const retries = entries.flatMap(entry => ('retryAfterMs' in entry ? [entry.retryAfterMs] : []));
  assert.ok(retries.length > 200 && retries.length < 250, `${retries.length}`);
  assert.equal(new Set(retries).size, retries.length);
  for (const entry of entries) if (entry instanceof AdmittedProbe) politeness.release(entry);
  clock.pass(retries[100] ?? 0);
  // Checks that one of the postponed servers is admitted at its reserved time, while others still have later
  // reservations.
  const index = entries.findIndex(entry => 'retryAfterMs' in entry && entry.retryAfterMs === retries[100]);
  visitOf(politeness.admit({ address: `1.2.3.${index}`, ports: [1] }));
});

test('the rate limiter tracks a limited number of addresses, and forgets idle addresses', () => {
  const { clock, politeness, enter } = open(FREE, 1000);
  const entries = Array.from({ length: 1001 }, (_, i) => enter(`1.${i >> 8}.${i & 255}.4`));
  assert.ok(retryOf(entries[1000] ?? { retryAfterMs: 0 }) > 0);
  assert.equal(politeness.addresses, 1000);
  for (const entry of entries) {
    if (!(entry instanceof AdmittedProbe)) continue;
    entry.reservePacket();
    politeness.release(entry);
  }
  enter('1.0.0.4', 2);
  clock.pass(3000);
  assert.equal(politeness.addresses, 1);
  clock.pass(600_000);
  visitOf(enter('1.250.1.1'));
});

test('the rate limiter gives a new address its full rate limit if it reuses the entry of an idle address', () => {
  const { clock, politeness, enter } = open();
  const full = (address: string) => {
    const running = [visitOf(enter(address, 1)), visitOf(enter(address, 2))];
    assert.equal([...running, ...running, ...running].filter(admitted => admitted.reservePacket()).length, 4);
    for (const admitted of running) politeness.release(admitted);
    // Starts more probes. Their reservations depend on the assumed cost of a probe, because no cost was measured.
    return Array.from({ length: 9 }, (_, i) => {
      const entry = enter(address, i + 3);
      if (entry instanceof AdmittedProbe) politeness.release(entry);
      return 'retryAfterMs' in entry ? entry.retryAfterMs : 0;
    });
  };
  const reservations = full('1.2.3.4');
  assert.ok(Math.max(...reservations) > 0);
  clock.pass(120_000);
  assert.equal(politeness.addresses, 0);
  assert.deepEqual(full('5.6.7.8'), reservations);
});

test('the rate limiter drops reservations that were not used', () => {
  const { clock, politeness, enter } = open();
  for (let port = 1; port <= 20; port++) {
    const entry = enter('1.2.3.4', port);
    if (entry instanceof AdmittedProbe) politeness.release(entry);
  }
  clock.pass(20_000);
  assert.equal(politeness.addresses, 1);
  clock.pass(70_000);
  assert.equal(politeness.addresses, 0);
});

test('closing the rate limiter ends the waits of all probes and packets', async () => {
  const { politeness, enter } = open();
  const [admitted] = [visitOf(enter('1.2.3.4', 1)), visitOf(enter('1.2.3.4', 2))];
  const atTheDoor = enter('1.2.3.4', 3);
  for (let i = 0; i < 4; i++) admitted.reservePacket();
  const packet = admitted.waitForPacket();
  politeness.close();
  assert.equal(await packet, false);
  retryOf(await atTheDoor);
});
