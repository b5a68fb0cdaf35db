import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DetectorBench, known, SECOND } from './detector-bench.ts';

describe('a prober that joins the core', () => {
  const elsewhere = ['5.5.5.5:27015', '6.6.6.6:27015', '7.7.7.7:27015'];

  test('causes no offline verdict if no prober gets answers', () => {
    const bench = new DetectorBench().acquaint(...elsewhere);
    const missAll = (seconds: number) => {
      for (let second = 0; second < seconds; second += 5, bench.now += 5 * SECOND)
        for (const each of elsewhere) assert.notEqual(bench.miss(each).verdict, 'offline');
    };
    missAll(20);
    bench.join();
    missAll(300);
  });

  test('causes no offline verdict before it has received its first answer', () => {
    const bench = new DetectorBench();
    for (let look = 0; look < 60; look++, bench.now += 5 * SECOND)
      for (let i = 0; i < 20; i++) assert.notEqual(bench.miss(`9.${i}.9.9:27015`).verdict, 'offline');
    assert.equal(bench.miss('9.0.9.9:27015').verdict, 'ignored');
  });

  test('does not delay the offline verdict on a silent server, even if the prober has no network', () => {
    const bench = known();
    bench.missFor(40);
    const good = bench.join();
    for (let i = 0; i < 5; i++) bench.uplink.outage.firstLook(i, false, bench.now + 10 * SECOND);
    bench.now += 10 * SECOND;
    assert.equal(bench.miss().verdict, 'ignored');
    bench.join(good);
    assert.ok(bench.missFor(120).seconds <= 10);
  });
});
