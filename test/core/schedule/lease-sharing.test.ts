import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENT_LOOP } from '../../../core/schedule/dispatcher-timing.ts';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import { nextTurn, online, opened, Prober } from './dispatched.ts';

test('several probers share the due servers, and no server is leased twice', async t => {
  const { dispatcher } = await opened(t, 500);
  const probers = [new Prober(250), new Prober(250)];
  for (const prober of probers) dispatcher.join(prober);
  await Promise.all(probers.map(prober => prober.until(250)));
  assert.equal(new Set(probers.flatMap(prober => prober.ids)).size, 500);
});

test('if only one server is tracked, its leases go to each prober in turn', async t => {
  // Turns off the regular tick of the dispatcher, because a tick between two reports would change which prober is next.
  const { clock, dispatcher } = await opened(t, 1, 'csgo', { ...EVENT_LOOP, every: () => () => {} });
  const probers = [new Prober(1_000), new Prober(1_000)];
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

for (const turns of [1, 2])
  test(`a prober whose servers do not reply gets a lease only if the other prober is at full capacity (dispatches: ${turns})`, async t => {
    const { clock, dispatcher } = await opened(t, 30);
    const [out, good] = [new Prober(30), new Prober(10)];
    const silent = (leaseId: number): LeaseReport => ({
      leaseId,
      outcome: 'PROBE_OUTCOME_NO_REPLY',
      payload: null,
      queryPort: 0,
      signals: {
        address: `9.${leaseId % 250}.9.9`,
        packetsSent: 1,
        packetsLost: 1,
        packetsRejected: 0,
        challenged: false,
      },
    });
    dispatcher.join(out);
    await out.until(30);
    dispatcher.report(out, out.ids.map(silent));
    assert.equal(dispatcher.outage, true);
    dispatcher.join(good);
    for (let i = 1; i < turns; i++) {
      dispatcher.wake();
      await nextTurn();
    }
    clock.at += 180_000;
    dispatcher.wake();
    await nextTurn();
    assert.deepEqual([good.leases.length, out.leases.length], [10, 50]);
  });

test('all servers in the server list of one publisher are leased to the one prober that queries this list', async t => {
  const { clock, dispatcher } = await opened(t, 1, 'asa');
  const [owner, other] = [new Prober(10), new Prober(10)];
  clock.at += 63_000;
  dispatcher.join(owner);
  await owner.until(1);
  dispatcher.join(other);
  for (let minute = 0; minute < 4; minute++) {
    dispatcher.report(owner, owner.ids.map(online));
    clock.at += 120_000;
    dispatcher.wake();
    await nextTurn();
  }
  assert.deepEqual([owner.leases.length, other.leases.length], [5, 0]);
});
