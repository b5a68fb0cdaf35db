import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, known, OTHER, SECOND } from './detector-bench.ts';

describe('repeated probes of a server that does not answer', () => {
  test('use the longest reply timeout at every fourth attempt', () => {
    const bench = known();
    const waits = Array.from({ length: 9 }, () => {
      const { key, address } = bench.server();
      bench.missFor(1);
      return bench.detector.timeoutMs(key, address, true);
    });
    assert.deepEqual(waits, [750, 750, 750, 0, 750, 750, 750, 0, 750]);
  });

  test("do not trigger a check of the prober's network connection if the server is already offline", () => {
    const bench = known();
    assert.equal(bench.missFor(120).verdict, 'offline');
    bench.now += 10 * SECOND;
    assert.equal(bench.miss().witness, '');
  });
});

describe('a server that never answered', () => {
  test('gets an offline verdict after at least 55 s without replies and at least 14 lost packets', () => {
    const bench = new DetectorBench().acquaint(OTHER);
    assert.deepEqual(bench.missFor(120, {}, 6).seconds, 84, 'fourteen packets');
    const other = new DetectorBench().acquaint(OTHER);
    const { seconds } = other.missFor(120);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('is offline after two probes 55 s apart if its publisher does not list it', () => {
    const bench = new DetectorBench();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 55 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });
});
