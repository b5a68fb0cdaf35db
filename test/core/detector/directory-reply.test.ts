import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, known, SECOND } from './detector-bench.ts';

describe("the server list of a game's publisher", () => {
  test('is no proof that the prober can reach the networks of the listed servers', () => {
    const bench = known();
    const before = bench.uplink.loss;
    for (let i = 0; i < 10; i++) bench.answer('7.7.7.7:27015', { sent: 0 });
    assert.equal(bench.uplink.loss, before);
    bench.now += 10 * SECOND;
    bench.answer('7.7.7.7:27015', { sent: 0 });
    bench.miss('7.7.7.7:27016', { delisted: true });
    assert.notEqual(bench.miss().witness, '', 'nothing was heard from another network');
  });

  test('makes the detector doubt a server that is not in the list, even if the prober seems to have no network', () => {
    const bench = known();
    for (let i = 0; i < 5; i++) bench.uplink.outage.firstLook(i, false, bench.now + 10 * SECOND);
    bench.now += 10 * SECOND;
    assert.deepEqual(
      [bench.miss().verdict, bench.miss(ADDRESS, { delisted: true }).verdict],
      ['ignored', 'doubt'],
    );
  });

  test('is evidence that a listed server is alive, but does not change its counted packet loss', () => {
    const bench = known();
    bench.missFor(10);
    assert.equal(bench.answer(ADDRESS, { sent: 0 }).lostBefore, 0);
    assert.equal(bench.detector.silentServers, 0);
  });
});
