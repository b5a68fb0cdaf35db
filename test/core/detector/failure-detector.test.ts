import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ADDRESS, DetectorBench, known, MINUTE, OTHER, SECOND, SIBLINGS } from './detector-bench.ts';

describe('evidence against a server', () => {
  test('starts anew after a long gap without probes', () => {
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

  test('makes no server offline before 55 s of silence, however many probes were lost', () => {
    const { verdict, seconds } = known().missFor(120);
    assert.equal(verdict, 'offline');
    // The first of its packets was sent two seconds before it was missed.
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('needs two lost probes near the end of the 55 s, so that a server that stands still for 45 s can answer', () => {
    const bench = known();
    bench.missFor(45);
    for (const verdict of ['doubt', 'offline']) {
      bench.now += 12 * SECOND;
      bench.answer(OTHER);
      assert.equal(bench.miss().verdict, verdict);
    }
  });

  test('makes probes decisive within six seconds of the least silence', () => {
    const bench = known();
    const decisive: number[] = [];
    const from = bench.now;
    for (; bench.now < from + 52 * SECOND; bench.now += SECOND) {
      bench.answer(OTHER);
      if (bench.miss().isDecisive) decisive.push((bench.now - from) / SECOND);
    }
    // The first packet was sent a second before it was missed.
    assert.deepEqual(decisive, [48, 49, 50, 51]);
  });

  test('does not grow while no other network answers; a witness server is probed instead', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    for (let look = 0; look < 100; look++, bench.now += 3 * SECOND) {
      const { verdict, witness } = bench.miss();
      assert.deepEqual([verdict, witness], ['doubt', `csgo ${OTHER}`]);
    }
  });

  test('grows by the earlier lost probe after the witness has answered', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    while (bench.miss().verdict !== 'offline') {
      looks++;
      bench.now += SECOND;
      bench.answer(OTHER);
      // A look that comes later has no witness of its own.
      bench.now += 5 * SECOND;
    }
    assert.ok(looks >= 9 && looks <= 12, `${looks} looks in doubt`);
  });

  test('needs no witness if an invalid reply or a reject came back', () => {
    const bench = known();
    bench.now += 10 * SECOND;
    let looks = 0;
    for (; bench.miss(ADDRESS, { heard: true }).verdict !== 'offline'; looks++) bench.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('needs no witness if only one network is tracked', () => {
    const bench = new DetectorBench().acquaint(ADDRESS);
    let looks = 0;
    for (; bench.miss().verdict !== 'offline'; looks++) bench.now += 5 * SECOND;
    assert.ok(looks <= 12, `${looks} looks in doubt`);
  });

  test('grows separately if a firewall answers challenges for a dead server', () => {
    const bench = known();
    const { verdict, challenged, looks, seconds } = bench.missFor(120, { challenged: true });
    assert.deepEqual([verdict, challenged], ['offline', looks]);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('of silence is dropped after a challenge, which needs no witness either', () => {
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

  test('of a directory that does not list the server is enough at the second probe, but not before 55 s', () => {
    const bench = known();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 54 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });

  test('does not grow while our uplink is out, and earlier evidence is dropped', () => {
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

describe('a prober that joins', () => {
  const elsewhere = ['5.5.5.5:27015', '6.6.6.6:27015', '7.7.7.7:27015'];

  test('makes no server offline over a broken uplink, though evidence of other probers is kept', () => {
    const bench = new DetectorBench().acquaint(...elsewhere);
    const missAll = (seconds: number) => {
      for (let second = 0; second < seconds; second += 5, bench.now += 5 * SECOND)
        for (const each of elsewhere) assert.notEqual(bench.miss(each).verdict, 'offline');
    };
    missAll(20);
    bench.join();
    missAll(300);
  });

  test('makes no server offline before it has heard any answer', () => {
    const bench = new DetectorBench();
    for (let look = 0; look < 60; look++, bench.now += 5 * SECOND)
      for (let i = 0; i < 20; i++) assert.notEqual(bench.miss(`9.${i}.9.9:27015`).verdict, 'offline');
    assert.equal(bench.miss('9.0.9.9:27015').verdict, 'ignored');
  });

  test('keeps the evidence of other probers while its own uplink is out', () => {
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

describe("a directory's word", () => {
  test('does not count as loss of the uplink or of the path', () => {
    const bench = known();
    const before = bench.uplink.loss;
    for (let i = 0; i < 10; i++) bench.answer('7.7.7.7:27015', { sent: 0 });
    assert.equal(bench.uplink.loss, before);
    bench.now += 10 * SECOND;
    bench.answer('7.7.7.7:27015', { sent: 0 });
    bench.miss('7.7.7.7:27016', { delisted: true });
    assert.notEqual(bench.miss().witness, '', 'nothing was heard from another network');
  });

  test('counts while our uplink is out', () => {
    const bench = known();
    for (let i = 0; i < 5; i++) bench.uplink.outage.firstLook(i, false, bench.now + 10 * SECOND);
    bench.now += 10 * SECOND;
    assert.deepEqual(
      [bench.miss().verdict, bench.miss(ADDRESS, { delisted: true }).verdict],
      ['ignored', 'doubt'],
    );
  });

  test('ends a silence', () => {
    const bench = known();
    bench.missFor(10);
    assert.equal(bench.answer(ADDRESS, { sent: 0 }).lostBefore, 0);
    assert.equal(bench.detector.silentServers, 0);
  });
});

describe('a probe of a silent server', () => {
  test('gets the longest timeout at every fourth try, so that slower replies are heard', () => {
    const bench = known();
    const waits = Array.from({ length: 9 }, () => {
      const { key, address } = bench.server();
      bench.missFor(1);
      return bench.detector.timeoutMs(key, address, true);
    });
    assert.deepEqual(waits, [750, 750, 750, 0, 750, 750, 750, 0, 750]);
  });

  test('needs no witness once the server is offline', () => {
    const bench = known();
    assert.equal(bench.missFor(120).verdict, 'offline');
    bench.now += 10 * SECOND;
    assert.equal(bench.miss().witness, '');
  });
});

describe('a server that answers again', () => {
  test('doubles the least silence of its host', () => {
    const bench = known();
    assert.equal(bench.missFor(45).verdict, 'doubt');
    bench.answer();
    bench.now += MINUTE;
    const { verdict, seconds } = bench.missFor(120);
    assert.equal(verdict, 'offline');
    assert.ok(seconds >= 85 && seconds <= 95, `${seconds} s`);
  });

  test('raises the least silence of its host to 120 s at most; a host that was down keeps its own', () => {
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

  test('has the packets lost in its silence counted as loss, 24 at most, unless it was offline', () => {
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

  test('wakes the other silent servers if the whole host was silent, and none otherwise', () => {
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

describe('siblings at the same host', () => {
  test('that answer meanwhile are reported in the judgement', () => {
    const bench = new DetectorBench().acquaint(ADDRESS, ...SIBLINGS, OTHER);
    assert.equal(bench.missFor(5).hostAnswers, false);
    bench.answer(SIBLINGS[0]);
    assert.equal(bench.missFor(5).hostAnswers, true);
  });

  /** Looks until all of so many servers of a host, at which packets are lost, are offline. */
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

  test('eight or more that fell silent together make the verdict sooner on a lossy path', () => {
    const [alone, few, many] = [1, 8, 9].map(looksFor);
    assert.equal(alone, few);
    assert.ok((many ?? 0) < (alone ?? 0) - 2, `${many} looks, and alone ${alone}`);
  });
});

test('that never answered are no evidence against a server', () => {
  const dead = Array.from({ length: 12 }, (_, i) => `9.9.9.9:${1 + i}`);
  const bench = new DetectorBench().acquaint(ADDRESS, OTHER);
  bench.answer(ADDRESS, { sent: 30, lost: 12 });
  bench.now += SECOND;
  bench.answer(OTHER);
  // A first look later than theirs: on its own it has not been silent for long.
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
  test('is offline after 55 s if a loss of 10 % does not explain its silence', () => {
    const bench = new DetectorBench().acquaint(OTHER);
    assert.deepEqual(bench.missFor(120, {}, 6).seconds, 84, 'fourteen packets');
    const other = new DetectorBench().acquaint(OTHER);
    const { seconds } = other.missFor(120);
    assert.ok(seconds >= 53 && seconds <= 56, `${seconds} s`);
  });

  test('is offline at the second probe after 55 s if its directory does not list it', () => {
    const bench = new DetectorBench();
    const unlisted = { delisted: true };
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'doubt');
    bench.now += 55 * SECOND;
    assert.equal(bench.miss(ADDRESS, unlisted).verdict, 'offline');
  });
});
