import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseReport } from '../../../core/schedule/lease-report.ts';
import { nextTurn, online, opened, Prober } from './dispatched.ts';

const SERVERS = 30;
const inManyNetworks = (i: number): string => `9.9.${i}.9:27015`;
const silent = (leaseId: number): LeaseReport => ({
  leaseId,
  outcome: 'PROBE_OUTCOME_NO_REPLY',
  payload: null,
  queryPort: 0,
});

test('the core gives a prober without an internet connection one server a minute, and the usual share after servers have answered this prober', async t => {
  const { clock, dispatcher } = await opened(t, SERVERS, 'csgo', undefined, inManyNetworks);
  const [out, good] = [new Prober(100, 'out'), new Prober(100, 'good')];
  dispatcher.join(out);
  await out.until(SERVERS);
  dispatcher.report(out, out.ids.map(silent));
  assert.equal(dispatcher.outage, true);
  dispatcher.join(good);
  let answer = silent;
  /** Lets a minute pass, in steps of a second. Returns the numbers of leases that the two probers got. */
  const minute = async (): Promise<number[]> => {
    const counts = [0, 0];
    for (let second = 0; second < 60; second++) {
      clock.at += 1_000;
      dispatcher.wake();
      await nextTurn();
      for (const [i, prober] of [out, good].entries()) {
        const { ids } = prober;
        prober.batches.length = 0;
        counts[i] = (counts[i] ?? 0) + ids.length;
        dispatcher.report(prober, ids.map(prober === out ? answer : online));
      }
    }
    return counts;
  };
  out.batches.length = 0;
  let [tested, probed] = [0, 0];
  for (let i = 0; i < 4; i++) {
    const [more = 0, others = 0] = await minute();
    assert.ok(more <= 1, `${more} servers in one minute`);
    tested += more;
    probed += others;
  }
  assert.ok(tested >= 2, `${tested} servers`);
  assert.ok(probed >= 3 * SERVERS, `${probed} servers are probed by the other prober`);
  assert.equal(dispatcher.outage, true);
  answer = online;
  await minute();
  await minute();
  assert.equal(dispatcher.outage, false);
  const [share = 0] = await minute();
  assert.ok(share >= SERVERS / 4, `${share} servers`);
});
