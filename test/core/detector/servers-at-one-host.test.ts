import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, OTHER, SECOND, SIBLINGS } from './detector-bench.ts';

describe('the failure detector', () => {
  test('sets the flag hostAnswers of a silent server if another server on its host answers', () => {
    const bench = new DetectorBench().acquaint(ADDRESS, ...SIBLINGS, OTHER);
    assert.equal(bench.missFor(5).hostAnswers, false);
    bench.answer(SIBLINGS[0]);
    assert.equal(bench.missFor(5).hostAnswers, true);
  });

  /**
   * Simulates twelve servers on one host with high packet loss. `silent`: number of servers that stop answering.
   * Returns the number of probes that each silent server gets until all silent servers are offline.
   */
  const looksFor = (silent: number): number => {
    const addresses = Array.from({ length: 12 }, (_, i) => `9.9.9.9:${1 + i}`);
    const bench = new DetectorBench().acquaint(...addresses, OTHER);
    for (const each of addresses) bench.answer(each, { sent: 30, lost: 12 });
    bench.now += SECOND;
    for (let look = 1; ; look++, bench.now += 4 * SECOND) {
      bench.answer(OTHER);
      const verdicts = addresses.slice(0, silent).map(address => bench.miss(address).verdict);
      if (verdicts.every(verdict => verdict === 'offline')) return look;
      assert.ok(look > 13 || !verdicts.includes('offline'), 'no sooner than after 55 s');
    }
  };

  test('needs fewer lost packets for an offline verdict if nine servers on a host stop than if one stops', () => {
    const [alone, few, many] = [1, 8, 9].map(looksFor);
    assert.equal(alone, few);
    assert.ok((many ?? 0) < (alone ?? 0) - 2, `${many} looks, and alone ${alone}`);
  });
});

test('a silent server does not count as offline just because other servers at the same host have never answered', () => {
  const dead = Array.from({ length: 12 }, (_, i) => `9.9.9.9:${1 + i}`);
  const bench = new DetectorBench().acquaint(ADDRESS, OTHER);
  bench.answer(ADDRESS, { sent: 30, lost: 12 });
  bench.now += SECOND;
  bench.answer(OTHER);
  // For 52 s, the test probes only servers that never answered. Their lost probes must not count as evidence that
  // ADDRESS is offline.
  for (let second = 0; second < 52; second += 4, bench.now += 4 * SECOND) {
    bench.answer(OTHER);
    for (const each of dead) bench.miss(each);
  }
  for (let second = 0; second < 40; second += 4, bench.now += 4 * SECOND) {
    bench.answer(OTHER);
    for (const each of dead) bench.miss(each);
    assert.equal(bench.miss().verdict, 'doubt', `after ${second} s`);
  }
});
