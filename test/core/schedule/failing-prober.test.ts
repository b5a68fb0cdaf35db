import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import { nextTurn, online, opened, Prober } from './dispatched.ts';

/** Returns the address of the server with number `i`. Each server is in a different network (IPv4 /24). */
const inManyNetworks = (i: number): string => `9.${i >> 8}.${i & 255}.9:27015`;

for (const turns of [1, 2])
  test(`if all probes of a prober fail, this prober gets only servers for which no other prober has capacity (wake() calls: ${turns})`, async t => {
    const { clock, dispatcher } = await opened(t, 30, 'csgo', undefined, inManyNetworks);
    const [out, good] = [new Prober(30, 'out'), new Prober(10, 'good')];
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

test('a prober whose IPv6 probes all fail gets one IPv6 server as a test, but keeps its IPv4 servers', async t => {
  const both = (i: number): string =>
    i % 2 === 0 ? `9.9.${i}.9:27015` : `[2001:db8:${i.toString(16)}::9]:27015`;
  const { clock, dispatcher } = await opened(t, 80, 'csgo', undefined, both);
  const [out, good] = [new Prober(100, 'out'), new Prober(100, 'good')];
  dispatcher.join(out);
  await out.until(80);
  const isV6 = ({ host }: Prober['leases'][number]): boolean => String(host).includes(':');
  dispatcher.report(
    out,
    out.leases.map(lease =>
      isV6(lease)
        ? { leaseId: Number(lease.leaseId), outcome: 'PROBE_OUTCOME_NO_REPLY', payload: null, queryPort: 0 }
        : online(Number(lease.leaseId)),
    ),
  );
  assert.equal(dispatcher.outage, true);
  dispatcher.join(good);
  out.batches.length = 0;
  clock.at += 180_000;
  dispatcher.wake();
  while (out.leases.length + good.leases.length < 80) await nextTurn();
  assert.deepEqual([out.leases.filter(isV6).length, good.leases.filter(isV6).length], [1, 39]);
  assert.ok(out.leases.length > 5, `${out.leases.length} IPv4 servers`);
});
