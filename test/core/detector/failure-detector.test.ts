import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND, SIBLINGS } from './detector-bench.ts';

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

describe('a prober that joins the core', () => {
  const elsewhere = ['5.5.5.5:27015', '6.6.6.6:27015', '7.7.7.7:27015'];

  test('causes no offline verdict if its network connection is broken, although evidence from other probers is kept', () => {
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

  test('does not delete the evidence from other probers while its own network connection is out', () => {
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

describe('a reply of a directory about a server', () => {
  test('does not change the measured packet loss, and does not count as an answer from a network', () => {
    const bench = known();
    const before = bench.uplink.loss;
    for (let i = 0; i < 10; i++) bench.answer('7.7.7.7:27015', { sent: 0 });
    assert.equal(bench.uplink.loss, before);
    bench.now += 10 * SECOND;
    bench.answer('7.7.7.7:27015', { sent: 0 });
    bench.miss('7.7.7.7:27016', { delisted: true });
    assert.notEqual(bench.miss().witness, '', 'nothing was heard from another network');
  });

  test('is evidence about the server even while the network connection of the prober is out', () => {
    const bench = known();
    for (let i = 0; i < 5; i++) bench.uplink.outage.firstLook(i, false, bench.now + 10 * SECOND);
    bench.now += 10 * SECOND;
    assert.deepEqual(
      [bench.miss().verdict, bench.miss(ADDRESS, { delisted: true }).verdict],
      ['ignored', 'doubt'],
    );
  });

  test('ends the silent period of the server if the directory lists it', () => {
    const bench = known();
    bench.missFor(10);
    assert.equal(bench.answer(ADDRESS, { sent: 0 }).lostBefore, 0);
    assert.equal(bench.detector.silentServers, 0);
  });
});

describe('a probe of a server that does not answer', () => {
  test('has the longest reply timeout at every fourth attempt, so that a slow reply is not missed', () => {
    const bench = known();
    const waits = Array.from({ length: 9 }, () => {
      const { key, address } = bench.server();
      bench.missFor(1);
      return bench.detector.timeoutMs(key, address, true);
    });
    assert.deepEqual(waits, [750, 750, 750, 0, 750, 750, 750, 0, 750]);
  });

  test('does not request a probe of another network after the server was found offline', () => {
    const bench = known();
    assert.equal(bench.missFor(120).verdict, 'offline');
    bench.now += 10 * SECOND;
    assert.equal(bench.miss().witness, '');
  });
});

describe('a server that answers again', () => {
  test('raises the minimum time for offline verdicts on its host to twice the length of its silent period', () => {
    const bench = known();
    assert.equal(bench.missFor(45).verdict, 'doubt');
    bench.answer();
    bench.now += MINUTE;
    const { verdict, seconds } = bench.missFor(120);
    assert.equal(verdict, 'offline');
    assert.ok(seconds >= 85 && seconds <= 95, `${seconds} s`);
  });

  test('raises the minimum time for offline verdicts on its host to at most 120 s, unless the host was down longer', () => {
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

  test('adds at most 24 lost packets of its silent period to the packet loss, and none if it was offline', () => {
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

  test('triggers probes of the other silent servers at its host only if the whole host was silent', () => {
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

describe('other servers at the same host', () => {
  test('set the flag hostAnswers in the judgement of a silent server if one of them answers', () => {
    const bench = new DetectorBench().acquaint(ADDRESS, ...SIBLINGS, OTHER);
    assert.equal(bench.missFor(5).hostAnswers, false);
    bench.answer(SIBLINGS[0]);
    assert.equal(bench.missFor(5).hostAnswers, true);
  });

  /**
   * Returns how many times each server must be probed until `silent` servers at a host with packet loss are
   * all offline.
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

  test('speed up the offline verdict on a path with packet loss if at least eight of them became silent too', () => {
    const [alone, few, many] = [1, 8, 9].map(looksFor);
    assert.equal(alone, few);
    assert.ok((many ?? 0) < (alone ?? 0) - 2, `${many} looks, and alone ${alone}`);
  });
});

test('servers that never answered are no evidence against another server at the same host', () => {
  const dead = Array.from({ length: 12 }, (_, i) => `9.9.9.9:${1 + i}`);
  const bench = new DetectorBench().acquaint(ADDRESS, OTHER);
  bench.answer(ADDRESS, { sent: 30, lost: 12 });
  bench.now += SECOND;
  bench.answer(OTHER);
  // The server ADDRESS is probed for the first time after the other servers of its host have been silent for
  // 52 s. Therefore its own silent period is short.
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

describe('a server that never answered', () => {
  test('is offline after 55 s or later, when a packet loss of 10 % no longer explains the missing replies', () => {
    const bench = new DetectorBench().acquaint(OTHER);
    assert.deepEqual(bench.missFor(120, {}, 6).seconds, 84, 'fourteen packets');
    const other = new DetectorBench().acquaint(OTHER);
    const { seconds } = other.missFor(120);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('is offline at the second probe, sent after 55 s, if the directory of its game does not list it', () => {
    const bench = new DetectorBench();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 55 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });
});
