import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_LOOP } from '../../../core/schedule/dispatcher-timing.ts';
import { nextTurn, online, opened, Prober } from './dispatched.ts';

/**
 * Returns the address of the server with number `i`. All servers have the same private IP address and different ports.
 * The rate limits for networks do not apply to private addresses.
 */
const inLocalNetwork = (i: number): string => `10.0.0.1:${2000 + i}`;

test('the servers of a local network are divided between the probers, and no server is given to two probers', async t => {
  const { dispatcher } = await opened(t, 500, 'csgo', undefined, inLocalNetwork);
  const probers = [new Prober(250, 'a'), new Prober(250, 'b')];
  for (const prober of probers) dispatcher.join(prober);
  await Promise.all(probers.map(prober => prober.until(250)));
  assert.equal(new Set(probers.flatMap(prober => prober.ids)).size, 500);
});

test('if a local network has only one server, the probers take turns to probe this server', async t => {
  // Switches off the regular tick of the dispatcher. A tick between two reports would change the order in which the
  // probers get leases (orders to probe).
  const { clock, dispatcher } = await opened(
    t,
    1,
    'csgo',
    { ...EVENT_LOOP, every: () => () => {} },
    inLocalNetwork,
  );
  const probers = [new Prober(1_000, 'a'), new Prober(1_000, 'b')];
  for (const prober of probers) dispatcher.join(prober);
  for (let minute = 0; minute < 6; minute++) {
    await nextTurn();
    for (const prober of probers) dispatcher.report(prober, prober.ids.map(online));
    clock.at += 120_000;
  }
  assert.deepEqual(
    probers.map(({ leases }) => leases.length),
    [3, 3],
  );
});

/** Returns the networks (IPv4 /24) of all servers that a prober was ordered to probe. */
const networksOf = ({ leases }: Prober): Set<string> =>
  new Set(leases.map(({ host }) => String(host).slice(0, String(host).lastIndexOf('.'))));

test('the same prober probes all servers of a network, and the networks are divided between the probers', async t => {
  const twoInEach = (i: number): string => `9.9.${i >> 1}.${1 + (i & 1)}:27015`;
  const { clock, dispatcher } = await opened(t, 400, 'csgo', undefined, twoInEach);
  const probers = [new Prober(1_000, 'a'), new Prober(1_000, 'b')];
  for (const prober of probers) dispatcher.join(prober);
  for (let minute = 0; minute < 3; minute++) {
    while (probers.reduce((sum, { leases }) => sum + leases.length, 0) < 400 * (minute + 1)) await nextTurn();
    for (const prober of probers) dispatcher.report(prober, prober.ids.map(online));
    clock.at += 120_000;
    dispatcher.wake();
  }
  const [a = new Set(), b = new Set()] = probers.map(networksOf);
  assert.equal(a.size + b.size, 200);
  assert.ok(a.size > 60 && b.size > 60, `${a.size} and ${b.size} networks`);
});

test('while the prober of a network is at full capacity, the servers of this network wait and go to no other prober', async t => {
  const { clock, dispatcher } = await opened(t, 30);
  const [a, b] = [new Prober(10, 'a'), new Prober(10, 'b')];
  dispatcher.join(a);
  dispatcher.join(b);
  const probers = [a, b];
  while (probers.every(({ leases }) => leases.length < 10)) await nextTurn();
  const [owner, other] = a.leases.length > 0 ? [a, b] : [b, a];
  clock.at += 1_000;
  dispatcher.wake();
  await nextTurn();
  assert.deepEqual([owner.leases.length, other.leases.length], [10, 0]);
  dispatcher.report(owner, owner.ids.map(online));
  clock.at += 1_000;
  dispatcher.wake();
  await nextTurn();
  assert.deepEqual([owner.leases.length, other.leases.length], [20, 0]);
});

test('other probers get the servers of a disconnected prober only when this prober can no longer resume its session', async t => {
  const { clock, dispatcher } = await opened(t, 1);
  const [a, b] = [new Prober(10, 'a'), new Prober(10, 'b')];
  dispatcher.join(a);
  dispatcher.join(b);
  while (a.leases.length + b.leases.length < 1) await nextTurn();
  const [owner, other] = a.leases.length > 0 ? [a, b] : [b, a];
  dispatcher.report(owner, owner.ids.map(online));
  dispatcher.lose(owner);
  clock.at += 1_900;
  dispatcher.wake();
  await nextTurn();
  assert.equal(other.leases.length, 0);
  clock.at += 120_000;
  await other.until(1);
});

test('the prober of a network also probes servers whose host names resolve to an address in this network', async t => {
  const names = (i: number): string => (i === 0 ? '9.9.9.1:27015' : `host${i}.example.com:27015`);
  const { clock, dispatcher } = await opened(t, 40, 'csgo', undefined, names);
  const probers = [new Prober(100, 'a'), new Prober(100, 'b')];
  for (const prober of probers) dispatcher.join(prober);
  while (probers.reduce((sum, { leases }) => sum + leases.length, 0) < 40) await nextTurn();
  const found = { packetsSent: 1, packetsLost: 0, packetsRejected: 0, challenged: false, address: '9.9.9.2' };
  for (const prober of probers)
    dispatcher.report(
      prober,
      prober.leases.map(({ leaseId, host }) => ({
        ...online(Number(leaseId)),
        signals: { ...found, address: String(host).startsWith('host') ? found.address : '' },
      })),
    );
  for (const { batches } of probers) batches.length = 0;
  clock.at += 120_000;
  dispatcher.wake();
  while (probers.reduce((sum, { leases }) => sum + leases.length, 0) < 40) await nextTurn();
  assert.deepEqual(probers.map(({ leases }) => leases.length).sort(), [0, 40]);
});

test('all servers in the server list of one publisher are probed by the one prober that queries this list', async t => {
  const { clock, dispatcher } = await opened(t, 1, 'asa');
  const [a, b] = [new Prober(10, 'a'), new Prober(10, 'b')];
  dispatcher.join(a);
  dispatcher.join(b);
  clock.at += 63_000;
  dispatcher.wake();
  await nextTurn();
  clock.at += 63_000;
  while (a.leases.length + b.leases.length < 1) await nextTurn();
  const [owner, other] = a.leases.length > 0 ? [a, b] : [b, a];
  for (let minute = 0; minute < 4; minute++) {
    dispatcher.report(owner, owner.ids.map(online));
    clock.at += 120_000;
    dispatcher.wake();
    await nextTurn();
  }
  assert.deepEqual([owner.leases.length, other.leases.length], [5, 0]);
});
