import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND } from './detector-bench.ts';

describe('the offline verdict on a server', () => {
  test('ignores probes that were lost before a pause of ten minutes', () => {
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

  test('comes 55 s after the first lost probe or later, even if many probes are lost', () => {
    const { verdict, seconds } = known().missFor(120);
    assert.equal(verdict, 'offline');
    // The detector gives the verdict offline 55 s after the first lost packet was sent. The test counts `seconds` from
    // the report of this loss, about 1 s later. So 54 is expected, and every value from 53 to 56 is correct.
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('needs two lost probes that were sent at least 49 s after the first lost probe', () => {
    const bench = known();
    bench.missFor(45);
    for (const verdict of ['doubt', 'offline']) {
      bench.now += 12 * SECOND;
      bench.answer(OTHER);
      assert.equal(bench.miss().verdict, verdict);
    }
  });

  test('can come with the next lost probe after about 48 s without replies, and the flag `isDecisive` shows this', () => {
    const bench = known();
    const decisive: number[] = [];
    const from = bench.now;
    for (; bench.now < from + 52 * SECOND; bench.now += SECOND) {
      bench.answer(OTHER);
      if (bench.miss().isDecisive) decisive.push((bench.now - from) / SECOND);
    }
    // `isDecisive` means that the next lost probe can lead to the verdict offline. It becomes true 49 s after the first
    // lost packet was sent. The test counts seconds from the report of this loss, about 1 s later. So `decisive` begins
    // with 48.
    assert.deepEqual(decisive, [48, 49, 50, 51]);
  });

  test('needs an answer from another network, as proof that the network connection of the prober works', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    for (let look = 0; look < 100; look++, bench.now += 3 * SECOND) {
      const { verdict, witness } = bench.miss();
      assert.deepEqual([verdict, witness], ['doubt', `csgo ${OTHER}`]);
    }
  });

  test('counts a lost probe if a server in another network answers shortly afterwards', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    while (bench.miss().verdict !== 'offline') {
      looks++;
      bench.now += SECOND;
      bench.answer(OTHER);
      // Waits until the last answer of OTHER (a server in another network) is five seconds old. Such an old answer does
      // not prove that the prober's network connection still works.
      bench.now += 5 * SECOND;
    }
    assert.ok(looks >= 9 && looks <= 12, `${looks} looks in doubt`);
  });

  test('needs no answer from another network if the server sends invalid replies or rejects packets', () => {
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

  test('comes after 55 s without a status reply, even if a firewall answers with handshake challenges', () => {
    const bench = known();
    const { verdict, challenged, looks, seconds } = bench.missFor(120, { challenged: true });
    assert.deepEqual([verdict, challenged], ['offline', looks]);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('ignores probes that were lost before a handshake challenge of the server', () => {
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

  test('needs two probes, 55 s apart, if the server is missing from the server list of its publisher', () => {
    const bench = known();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 54 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });

  test('ignores probes that were lost before an outage of the network connection of the prober', () => {
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
