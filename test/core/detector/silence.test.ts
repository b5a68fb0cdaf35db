import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newRecord } from '../../../core/servers/record-status.ts';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND, SIBLINGS } from './detector-bench.ts';

describe('the failure detector', () => {
  test('sets the reply timeout from the round-trip time of a host, between 0.75 s and 2 s', () => {
    const bench = new DetectorBench();
    assert.equal(bench.timeoutMs(ADDRESS), 0, 'of which nothing is known');
    for (const [ping, timeout] of [
      [40, 750],
      [200, 1_100],
      [1_500, 2_000],
    ] as const) {
      const address = `9.9.8.${ping % 250}:27015`;
      bench.answer(address, { ping });
      assert.equal(bench.timeoutMs(address), timeout);
      assert.equal(bench.timeoutMs(address.replace(':27015', ':2')), timeout, 'all of its servers');
    }
    bench.answer(ADDRESS, { ping: 0 });
    assert.equal(bench.timeoutMs(ADDRESS), 0, 'of which none was measured');
  });

  test('treats a server with a domain name as a server on the host to which the name resolved', () => {
    const bench = new DetectorBench().acquaint(...SIBLINGS, OTHER);
    bench.answer('game.example.com:27015', { address: '9.9.9.9' });
    bench.answer(SIBLINGS[0]);
    bench.now += SECOND;
    assert.equal(bench.miss('game.example.com:27015', { address: '9.9.9.9' }).hostAnswers, false);
    bench.answer(OTHER);
    bench.now += SECOND;
    bench.answer(SIBLINGS[0]);
    bench.now += SECOND;
    assert.equal(bench.miss('game.example.com:27015', { address: '9.9.9.9' }).hostAnswers, true);
  });
});

describe('the silent period of a server (the time without replies)', () => {
  test('ends when the server answers or is removed', () => {
    const bench = known();
    bench.missFor(5);
    assert.equal(bench.detector.silentServers, 1);
    bench.answer();
    assert.equal(bench.detector.silentServers, 0);
    bench.missFor(5);
    bench.detector.forget(bench.server().key);
    bench.detector.forget('csgo nobody:1');
    assert.equal(bench.detector.silentServers, 0);
  });

  test('starts at zero for a new server at the address of a removed server', () => {
    const bench = known();
    assert.equal(bench.missFor(120).verdict, 'offline');
    bench.set(newRecord('csgo', ADDRESS, 'tok_2', bench.now, MINUTE));
    const { verdict, looks } = bench.miss();
    assert.deepEqual([verdict, looks], ['doubt', 1]);
  });

  test('ends when the server answers, even if the clock was set back by an hour', () => {
    const bench = known();
    bench.now -= 60 * MINUTE;
    bench.missFor(5);
    bench.answer();
    assert.equal(bench.detector.silentServers, 0);
  });
});

describe('a silent server that usually loses 98 % of its packets', () => {
  /**
   * Returns a fixture with a server that normally loses 98 % of its packets. Such a server counts as offline only after
   * many missing replies.
   */
  const lossy = (intervalMs: number): DetectorBench => {
    const bench = known();
    const server = bench.server();
    bench.set({ ...server, intervalMs, history: { ...server.history, answers: 15, lossShare: 0.98 } });
    return bench;
  };

  for (const [intervalMs, held] of [
    [MINUTE, 580],
    [15 * MINUTE, 2_680],
  ] as const) {
    test(`becomes offline after ${held} s at a probe interval of ${intervalMs / 1000} s`, () => {
      const bench = lossy(intervalMs);
      const since = bench.server().lastOnlineAt;
      const { verdict } = bench.missFor(4_000, {}, 20);
      assert.equal(verdict, 'offline');
      assert.equal(bench.now - since, held * SECOND);
    });
  }

  test('becomes offline 580 s after a pause in which the server was not probed', () => {
    const bench = lossy(MINUTE);
    bench.missFor(300, {}, 10);
    bench.now += 20 * MINUTE;
    const asked = bench.now;
    assert.equal(bench.missFor(4_000, {}, 10).verdict, 'offline');
    assert.ok(Math.abs(bench.now - asked - 580 * SECOND) <= 10 * SECOND, `${bench.now - asked} ms`);
  });

  test('becomes offline 580 s after the prober can send probes again, for example after a DNS fault', () => {
    const bench = lossy(MINUTE);
    const { nextProbeAt } = bench.server();
    // A fault of the prober postpones the next probe, and changes nothing else in the record of the server.
    bench.now = nextProbeAt + 11 * MINUTE;
    bench.set({ ...bench.server(), nextProbeAt: bench.now });
    const asked = bench.now;
    assert.equal(bench.missFor(4_000, {}, 10).verdict, 'offline');
    assert.ok(Math.abs(bench.now - asked - 580 * SECOND) <= 10 * SECOND, `${bench.now - asked} ms`);
  });

  test('becomes offline 580 s after the end of a network outage at the prober', () => {
    const bench = lossy(MINUTE);
    bench.missFor(300, {}, 10);
    for (let i = 0; i < 5; i++) bench.uplink.outage.firstLook(i, false, bench.now + 10 * SECOND);
    bench.now += 30 * SECOND;
    const back = bench.now;
    assert.equal(bench.missFor(4_000, {}, 10).verdict, 'offline');
    assert.equal(bench.now - back, 580 * SECOND);
  });
});
