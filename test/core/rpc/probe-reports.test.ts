import assert from 'node:assert/strict';
import { test } from 'node:test';
import { payloadObject } from '../../../proto/codec/payload-object.ts';
import { openedProbeService } from './joined-prober.ts';

test('the report of a prober is acknowledged after the core has recorded it', async t => {
  const { join, track, store } = await openedProbeService(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  prober.report(41, [prober.leases()[0]?.leaseId ?? 0]);
  await prober.inbox.until(() => prober.acks().length === 1);
  assert.deepEqual(prober.acks(), [41]);
  const [record] = store.getMany(['csgo 1.2.3.4:27015']);
  assert.deepEqual([record?.status, record?.queryPort], ['online', 27016]);
});

test('a report without a player count is recorded as 0 players from a prober of release 0.1.0, but without a count from a newer prober', async t => {
  for (const absentCounts of [false, true]) {
    const { join, track, store } = await openedProbeService(t);
    await track('1.2.3.4:27015');
    const prober = join(1, { absentCounts });
    await prober.untilLeases(1);
    const [lease] = prober.leases();
    const outcome = 'PROBE_OUTCOME_ONLINE' as const;
    const reports = [{ leaseId: lease?.leaseId ?? 0, outcome, payload: { name: 'Empty' } }];
    prober.stream.write({ reports: { seq: 1, reports } });
    await prober.inbox.until(() => prober.acks().length === 1);
    const { players, maxplayers } = payloadObject(
      store.getMany(['csgo 1.2.3.4:27015'])[0]?.data ?? Buffer.alloc(0),
    );
    assert.deepEqual([players, maxplayers], absentCounts ? [undefined, undefined] : [0, 0]);
  }
});

test('a report for which the prober has no lease (order to probe a server) is acknowledged, but not recorded', async t => {
  const { join, store } = await openedProbeService(t);
  const prober = join(10);
  prober.report(1, [12345]);
  await prober.inbox.until(() => prober.acks().length === 1);
  assert.equal(store.stats().tracked, 0);
});

test('the report of a probe with an invalid query port is recorded without the query port', async t => {
  const { join, track, store } = await openedProbeService(t);
  await track('1.2.3.4:27015');
  const prober = join(10);
  await prober.untilLeases(1);
  prober.report(1, [prober.leases()[0]?.leaseId ?? 0], 70_000);
  await prober.inbox.until(() => prober.acks().length === 1);
  const [record] = store.getMany(['csgo 1.2.3.4:27015']);
  assert.deepEqual([record?.status, record?.queryPort], ['online', 0]);
});

test('the report of a probe changes the reason, the label and the next probe time in the record of the server', async t => {
  const { join, track, store, clock } = await openedProbeService(t);
  await track('1.2.3.4:27015', '1.2.3.5:27015');
  const prober = join(10);
  await prober.untilLeases(2);
  const [silent = 0, heldBack = 0] = prober.leases().map(({ leaseId }) => leaseId);
  const signals = { packetsSent: 2, packetsLost: 2, challenged: true, address: '1.2.3.4' };
  const failed = { outcome: 'PROBE_OUTCOME_REFUSED' as const, signals };
  const reports = [
    { leaseId: silent, ...failed },
    { leaseId: heldBack, outcome: 'PROBE_OUTCOME_HELD_BACK' as const, retryAfterMs: 3_600_000 },
  ];
  prober.stream.write({ reports: { seq: 1, reports } });
  await prober.inbox.until(() => prober.acks().length === 1);
  const recordOf = (address: string) => store.getMany([`csgo ${address}`])[0];
  const [first, second] = [recordOf('1.2.3.4:27015'), recordOf('1.2.3.5:27015')];
  assert.deepEqual([first?.reason, first?.lastProbeAt, first?.label], ['refused', clock.at, 'none']);
  assert.deepEqual([second?.lastProbeAt, second?.nextProbeAt], [0, clock.at + 60_000]);
  // The server answers three probes only with a challenge (a number that the query must repeat). Therefore its firewall
  // label becomes `challenge_only`.
  for (let look = 2; look <= 3; look++) {
    clock.at = recordOf('1.2.3.4:27015')?.nextProbeAt ?? 0;
    await prober.untilLeases(look + 1);
    const leaseId = prober.leases()[look]?.leaseId ?? 0;
    prober.stream.write({ reports: { seq: look, reports: [{ leaseId, ...failed }] } });
    await prober.inbox.until(() => prober.acks().length === look);
  }
  assert.equal(recordOf('1.2.3.4:27015')?.label, 'challenge_only');
});
