import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND } from './detector-bench.ts';

describe('the evidence that a server is offline', () => {
  test('starts at zero again after a long time without probes', () => {
    const bench = known();
    bench.answer(OTHER);
    assert.equal(bench.miss().verdict, 'doubt');
    bench.now += 10 * MINUTE;
    bench.answer(OTHER);
    assert.deepEqual([bench.miss().verdict, bench.miss().looks], ['doubt', 2]);
    const { verdict, seconds } = bench.missFor(120);
    assert.equal(verdict, 'offline');
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('causes no offline verdict before 55 s without replies, even if many probes were lost', () => {
    const { verdict, seconds } = known().missFor(120);
    assert.equal(verdict, 'offline');
    // The silent period begins when the first packet is sent, which is before the loss of this packet is
    // reported.
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('must include two lost probes near the end of 55 s, because a running server can pause for 45 s', () => {
    const bench = known();
    bench.missFor(45);
    for (const verdict of ['doubt', 'offline']) {
      bench.now += 12 * SECOND;
      bench.answer(OTHER);
      assert.equal(bench.miss().verdict, verdict);
    }
  });

  test('makes a probe decisive if it is at most 6 s away from the minimum of 55 s without replies', () => {
    const bench = known();
    const decisive: number[] = [];
    const from = bench.now;
    for (; bench.now < from + 52 * SECOND; bench.now += SECOND) {
      bench.answer(OTHER);
      if (bench.miss().isDecisive) decisive.push((bench.now - from) / SECOND);
    }
    // The silent period begins when the first packet is sent, which is before the loss of this packet is
    // reported.
    assert.deepEqual(decisive, [48, 49, 50, 51]);
  });

  test('does not grow while no other network answers; the detector requests a probe of another network', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    for (let look = 0; look < 100; look++, bench.now += 3 * SECOND) {
      const { verdict, witness } = bench.miss();
      assert.deepEqual([verdict, witness], ['doubt', `csgo ${OTHER}`]);
    }
  });

  test('includes an earlier lost probe as soon as a server in another network has answered', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    while (bench.miss().verdict !== 'offline') {
      looks++;
      bench.now += SECOND;
      bench.answer(OTHER);
      // The next lost probe needs another answer from a different network.
      bench.now += 5 * SECOND;
    }
    assert.ok(looks >= 9 && looks <= 12, `${looks} looks in doubt`);
  });

  test('needs no answer from another network if the probe received an invalid reply or a rejection', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    for (; bench.miss(ADDRESS, { heard: true }).verdict !== 'offline'; looks++) bench.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('needs no answer from another network if all tracked servers are in one network', () => {
    const bench = new DetectorBench().acquaint(ADDRESS);
    let looks = 0;
    for (; bench.miss().verdict !== 'offline'; looks++) bench.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('is sufficient after 55 s, even if a firewall still sends challenges for the dead server', () => {
    const bench = known();
    const { verdict, challenged, looks, seconds } = bench.missFor(120, { challenged: true });
    assert.deepEqual([verdict, challenged], ['offline', looks]);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('is cleared by a challenge if it came from missing replies, even if no other network answers', () => {
    const bench = known();
    bench.missFor(45);
    bench.miss(ADDRESS, { challenged: true });
    bench.now += SECOND;
    const { verdict, seconds } = bench.missFor(120);
    assert.equal(verdict, 'offline');
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s after the challenge`);

    const boxed = known();
    boxed.now += 10 * SECOND;
    let looks = 0;
    for (; boxed.miss(ADDRESS, { challenged: true }).verdict !== 'offline'; looks++) boxed.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('is sufficient at the second probe, at least 55 s later, if the directory does not list the server', () => {
    const bench = known();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 54 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });

  test('does not grow while the network connection of the prober is out, and earlier evidence is dropped', () => {
    const bench = known();
    bench.missFor(45);
    for (let i = 0; i < 5; i++) bench.uplink.outage.firstLook(i, false, bench.now + 10 * SECOND);
    bench.now += 10 * SECOND;
    assert.deepEqual([bench.uplink.outage.isOpen, bench.miss().verdict], [true, 'ignored']);
    assert.equal(bench.detector.silentServers, 0);
    assert.equal(bench.miss(ADDRESS, { heard: true }).looks, 1, 'a reply that makes no sense is no silence');
    bench.now += SECOND;
    bench.answer(OTHER);
    assert.equal(bench.uplink.outage.isOpen, false);
    assert.equal(bench.missFor(40).verdict, 'doubt');
  });
});
