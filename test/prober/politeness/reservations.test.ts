import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmittedProbe } from '../../../prober/politeness/admitted-probe.ts';
import { admittedOf, open, retryOf, settled } from './opened-politeness.ts';

test('the rate limiter postpones a probe by at least two seconds and at most ten minutes', () => {
  const { enter } = open();
  const entries = Array.from({ length: 1000 }, (_, i) => enter('1.2.3.4', i + 1));
  const retries = entries.flatMap(entry => ('retryAfterMs' in entry ? [entry.retryAfterMs] : []));
  assert.ok(retries.length > 990, `${retries.length}`);
  assert.ok(Math.min(...retries) > 2000 && Math.max(...retries) === 600_000);
  const sooner = retries.filter(retry => retry < 600_000);
  // gsq sends four packets a second to an address, and assumes 2.5 packets per probe. Therefore reserved start times
  // are about 625 ms apart.
  for (const [i, retry] of sooner.entries()) {
    if (i > 0) assert.ok(retry - (sooner[i - 1] ?? 0) > 600, `${retry}`);
  }
});

test('a postponed probe keeps its reserved start time, even if its caller retries too early', async () => {
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
    // The probe of port 50 was postponed to the reserved start time `promised`. The first probe of a new server must
    // get a start time after `promised`.
    assert.ok(clock.now + retryOf(await probe(newcomer++)) > promised);
  }
  clock.pass(3000);
  assert.ok((await probe(50)) instanceof AdmittedProbe);
});

test('the rate limiter admits 1000 servers at one address about equally often, and does not delay a different address', async () => {
  const { clock, politeness } = open();
  // Pseudo-random numbers between 0 and 1, which are the same in each run.
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
      const admitted = admittedOf(politeness.admit({ address: '1.2.3.200', ports: [1] }));
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
  // The packet limit allows about 5,000 probes in one hour. This is about five probes for each of the 1,000 servers.
  assert.ok(least >= 4 && most - least <= 2, `between ${least} and ${most}`);
});

test('postponed probes of different addresses in one network get different reserved times', async () => {
  const { clock, politeness } = open();
  const entries = Array.from({ length: 250 }, (_, i) =>
    politeness.admit({ address: `1.2.3.${i}`, ports: [1] }),
  );
  const retries = entries.flatMap(entry => ('retryAfterMs' in entry ? [entry.retryAfterMs] : []));
  assert.ok(retries.length > 200 && retries.length < 250, `${retries.length}`);
  assert.equal(new Set(retries).size, retries.length);
  for (const entry of entries) if (entry instanceof AdmittedProbe) politeness.release(entry);
  clock.pass(retries[100] ?? 0);
  // Each postponed probe has a reserved start time of its own. The rate limiter must admit a probe at its start time,
  // even if other postponed probes still wait.
  const index = entries.findIndex(entry => 'retryAfterMs' in entry && entry.retryAfterMs === retries[100]);
  admittedOf(politeness.admit({ address: `1.2.3.${index}`, ports: [1] }));
});
