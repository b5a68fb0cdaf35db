import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND } from './detector-bench.ts';

describe('the evidence (a sum over lost probes) that a server is offline', () => {
  test('is reset to zero after ten minutes without probes', () => {
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

  test('is never sufficient in the first 55 s without replies, even if many probes are lost', () => {
    const { verdict, seconds } = known().missFor(120);
    assert.equal(verdict, 'offline');
    // The failure detector gives the verdict offline at the earliest 55 s after the first lost packet was sent. The
    // test starts to count later, when the prober reports this loss. Therefore it accepts 53 s.
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('is not sufficient after 45 s without replies, but is sufficient after two further lost probes', () => {
    const bench = known();
    bench.missFor(45);
    for (const verdict of ['doubt', 'offline']) {
      bench.now += 12 * SECOND;
      bench.answer(OTHER);
      assert.equal(bench.miss().verdict, verdict);
    }
  });

  test('is almost sufficient after about 48 s without replies, so the next probe probably decides the verdict', () => {
    const bench = known();
    const decisive: number[] = [];
    const from = bench.now;
    for (; bench.now < from + 52 * SECOND; bench.now += SECOND) {
      bench.answer(OTHER);
      if (bench.miss().isDecisive) decisive.push((bench.now - from) / SECOND);
    }
    // The failure detector sets `isDecisive` if the first lost packet was sent at least 49 s ago. The prober sent this
    // packet one second before its first report. The numbers are seconds since the first report, so `isDecisive` is set
    // from 48 on.
    assert.deepEqual(decisive, [48, 49, 50, 51]);
  });

  test('does not grow while all other networks are silent, so gsq requests a probe of a server in another network', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    for (let look = 0; look < 100; look++, bench.now += 3 * SECOND) {
      const { verdict, witness } = bench.miss();
      assert.deepEqual([verdict, witness], ['doubt', `csgo ${OTHER}`]);
    }
  });

  test('grows if a server in a different network answers shortly after the lost probe', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    while (bench.miss().verdict !== 'offline') {
      looks++;
      bench.now += SECOND;
      bench.answer(OTHER);
      // Waits until the last answer of the server OTHER is five seconds old. An answer of this age does not prove that
      // the prober's network connection still works.
      bench.now += 5 * SECOND;
    }
    assert.ok(looks >= 9 && looks <= 12, `${looks} looks in doubt`);
  });

  test('grows even if no other network answers, when the server sends invalid replies or rejects packets, because this proves that the network of the prober works', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    for (; bench.miss(ADDRESS, { heard: true }).verdict !== 'offline'; looks++) bench.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('grows if all tracked servers are in one network, although no server in another network can answer', () => {
    const bench = new DetectorBench().acquaint(ADDRESS);
    let looks = 0;
    for (; bench.miss().verdict !== 'offline'; looks++) bench.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('is sufficient after 55 s without a status reply, even if a firewall answers with handshake challenges', () => {
    const bench = known();
    const { verdict, challenged, looks, seconds } = bench.missFor(120, { challenged: true });
    assert.deepEqual([verdict, challenged], ['offline', looks]);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('is deleted when a silent server sends a handshake challenge', () => {
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

  test('is sufficient after two lost probes 55 s apart if the server is not in the server list of its publisher', () => {
    const bench = known();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 54 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });

  test('is reset to zero by an outage of the network connection of the prober', () => {
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
