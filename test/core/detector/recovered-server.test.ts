import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { offlineRecord } from '../record-of.ts';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND, SIBLINGS } from './detector-bench.ts';

describe('a server that answers again after a silent period', () => {
  test('gets an offline verdict only after a second silent period that is twice as long as the first', () => {
    const bench = known();
    assert.equal(bench.missFor(45).verdict, 'doubt');
    bench.answer();
    bench.now += MINUTE;
    const { verdict, seconds } = bench.missFor(120);
    assert.equal(verdict, 'offline');
    assert.ok(seconds >= 85 && seconds <= 95, `${seconds} s`);
  });

  test('gets an offline verdict after at most about 120 s of new silence, however long the first silent period was', () => {
    const long = known();
    long.missFor(49);
    long.now += 50 * SECOND;
    long.answer();
    long.now += MINUTE;
    const { verdict, seconds } = long.missFor(300);
    assert.ok(verdict === 'offline' && seconds >= 115 && seconds <= 121, `${seconds} s`);

    const down = known();
    down.missFor(300);
    down.now += 5 * MINUTE;
    down.answer();
    down.now += MINUTE;
    assert.ok(down.missFor(300).seconds <= 56);
  });

  test('gets at most 24 lost packets of this period added to its packet loss', () => {
    const bench = known();
    bench.missFor(10);
    assert.equal(bench.answer().lostBefore, 10);
    bench.missFor(40);
    assert.equal(bench.answer().lostBefore, 24);
    bench.now += 30 * MINUTE;
    assert.equal(bench.answer().lostBefore, 0, 'once');
    assert.equal(bench.missFor(300).verdict, 'offline');
    assert.equal(bench.answer().lostBefore, 0, 'of an end');
  });

  test('triggers probes of the other servers on its host that were offline for a long time', () => {
    const bench = new DetectorBench().acquaint(ADDRESS, ...SIBLINGS, OTHER);
    const keys = [ADDRESS, ...SIBLINGS].map(address => `csgo ${address}`);
    const loseAll = () => {
      for (const address of [ADDRESS, ...SIBLINGS])
        bench.set(offlineRecord(bench.server(address), bench.now));
      for (const key of keys) bench.detector.setAway(key);
    };
    loseAll();
    assert.equal(bench.detector.silentServers, 0);
    bench.now += 30 * MINUTE;
    const [, ...others] = keys;
    assert.deepEqual(bench.answer(ADDRESS).wakes, others);
    bench.now += SECOND;
    assert.deepEqual(bench.answer(SIBLINGS[0]).wakes, [], 'the host has just answered');
    bench.now += 30 * MINUTE;
    assert.deepEqual(bench.answer(ADDRESS).wakes, [], 'a server that was online triggers nothing');

    loseAll();
    for (const key of others) bench.detector.forget(key);
    bench.now += 30 * MINUTE;
    assert.deepEqual(bench.answer(ADDRESS).wakes, [], 'no removed servers');
  });

  test('triggers probes of all other silent servers on its host', () => {
    const bench = new DetectorBench().acquaint(ADDRESS, ...SIBLINGS, OTHER);
    const missAll = () => [ADDRESS, ...SIBLINGS].map(address => bench.miss(address));
    bench.answer(OTHER);
    missAll();
    bench.now += SECOND;
    assert.deepEqual(bench.answer(ADDRESS).wakes, [], 'silent for a second');
    for (let second = 0; second < 20; second++, bench.now += SECOND) {
      bench.answer(OTHER);
      missAll();
    }
    assert.deepEqual(
      new Set(bench.answer(ADDRESS).wakes),
      new Set(SIBLINGS.map(address => `csgo ${address}`)),
    );
    assert.deepEqual(bench.answer(SIBLINGS[0]).wakes, []);
  });
});
