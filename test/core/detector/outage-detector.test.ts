import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OutageDetector } from '../../../core/detector/outage-detector.ts';
import { randomNumbers } from '../../system/random-numbers.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const start = Date.UTC(2026, 0, 1);

interface Fleet {
  outage: OutageDetector;
  now: number;
}

/**
 * Probes each of `networks` networks once a minute for `seconds`, evenly distributed over the minute.
 * `answers`: returns true if a network answers. Returns whether the circuit was ever open, and whether it was
 * ever closed.
 */
function run(fleet: Fleet, networks: number, seconds: number, answers: (network: number) => boolean) {
  let opened = false;
  let closed = false;
  const looks = Math.round((seconds * networks) / 60);
  for (let i = 0; i < looks; i++) {
    fleet.now += MINUTE / networks;
    const network = i % networks;
    const answered = answers(network);
    if (answered) fleet.outage.heard(fleet.now);
    fleet.outage.firstLook(network, answered, fleet.now);
    opened ||= fleet.outage.isOpen;
    closed ||= !fleet.outage.isOpen;
  }
  return { opened, closed };
}

const all = () => true;
const none = () => false;

/** Returns a fleet in which all networks have answered for ten minutes. */
function healthy(networks: number): Fleet {
  const fleet = { outage: new OutageDetector(), now: start };
  run(fleet, networks, 600, all);
  return fleet;
}

describe('the circuit of the outage detector', () => {
  for (const networks of [10, 100, 2_000]) {
    test(`opens within 50 s if none of ${networks} networks answers, and closes after the first answers`, () => {
      const fleet = healthy(networks);
      const outAt = fleet.now;
      run(fleet, networks, 50, none);
      assert.equal(fleet.outage.isOpen, true);
      assert.ok(fleet.outage.closedAt < outAt);
      run(fleet, networks, 600, none);
      assert.equal(fleet.outage.isOpen, true, 'however long nobody answers');
      const backAt = fleet.now;
      run(fleet, networks, 120, all);
      assert.equal(fleet.outage.isOpen, false);
      assert.ok(fleet.outage.closedAt > backAt && fleet.outage.closedAt <= fleet.now);
    });

    test(`stays closed if half of ${networks} networks stop answering at the same time`, () => {
      const fleet = healthy(networks);
      assert.equal(run(fleet, networks, 60, network => network % 2 === 0).opened, false);
    });
  }

  test('stays closed if half of the probes of many networks fail, in random order', () => {
    const below = randomNumbers(3);
    const outage = new OutageDetector();
    let now = start;
    for (let i = 0; i < 100_000; i++) {
      now += 10;
      const network = below(2_000);
      const answered = below(2) === 0;
      if (answered) outage.heard(now);
      outage.firstLook(network, answered, now);
      assert.equal(outage.isOpen, false, `after ${i} looks`);
    }
  });

  test('is not opened by a single silent network, even if this network has many servers', () => {
    const fleet = healthy(20);
    for (let i = 0; i < 600; i++) {
      fleet.now += 10;
      fleet.outage.firstLook(1000, false, fleet.now);
      if (i % 100 === 0) fleet.outage.heard(fleet.now);
    }
    assert.equal(fleet.outage.isOpen, false);
  });

  test('opens even if the addresses of all networks differ in one octet only', () => {
    for (const shift of [8, 16]) {
      const outage = new OutageDetector();
      let now = start;
      for (let i = 0; i < 1_200; i++) {
        now += 100;
        // One of twenty probes is answered, so the outage is not total.
        const answered = i < 600 || i % 20 === 0;
        if (answered) outage.heard(now);
        outage.firstLook((5 << 24) | ((i % 250) << shift) | 7, answered, now);
      }
      assert.equal(outage.isOpen, true, `${shift}`);
    }
  });

  test('stays closed if a third of the probes always fails, and opens if suddenly nearly all fail', () => {
    const fleet = { outage: new OutageDetector(), now: start };
    const below = randomNumbers(9);
    assert.equal(run(fleet, 1_000, 3_600, () => below(3) > 0).opened, false);
    run(fleet, 1_000, 30, () => below(20) === 0);
    assert.equal(fleet.outage.isOpen, true);
  });
});

describe('a total outage', () => {
  /** After an answer, `networks` different networks do not answer, one per second. */
  const silent = (fleet: Fleet, networks: number): void => {
    fleet.outage.heard(fleet.now);
    for (let i = 0; i < networks; i++) {
      fleet.now += SECOND;
      fleet.outage.firstLook(i, false, fleet.now);
    }
  };

  test('is detected if five networks do not answer and no answer was received for 5 s', () => {
    const four = healthy(10);
    silent(four, 4);
    four.now += MINUTE;
    four.outage.firstLook(3, false, four.now);
    assert.equal(four.outage.isOpen, false, 'four');
    silent(four, 5);
    assert.equal(four.outage.isOpen, true, 'five');
  });

  test('is detected by repeated probes even if all networks were already probed in its first seconds', () => {
    const fleet = healthy(10);
    const { outage } = fleet;
    for (let i = 0; i < 10; i++) outage.firstLook(i, false, fleet.now + 1_000);
    // A late answer to an earlier probe clears the list of silent networks.
    outage.heard(fleet.now + 1_500);
    for (let second = 2; second <= 6; second++)
      for (let i = 0; i < 10; i++) outage.missed(i, fleet.now + second * 1_000);
    assert.equal(outage.isOpen, false);
    outage.missed(1, fleet.now + 6_500);
    assert.equal(outage.isOpen, true);
  });

  test('is not detected while at least one network answers', () => {
    const fleet = healthy(10);
    for (let i = 0; i < 50; i++) {
      fleet.now += SECOND;
      fleet.outage.firstLook(i % 9, false, fleet.now);
      if (i % 4 === 3) fleet.outage.heard(fleet.now);
    }
    assert.equal(fleet.outage.isOpen, false);
  });

  test('ends with the first answer of any network', () => {
    const fleet = healthy(10);
    silent(fleet, 5);
    fleet.now += SECOND;
    fleet.outage.heard(fleet.now);
    assert.deepEqual([fleet.outage.isOpen, fleet.outage.closedAt], [false, fleet.now]);
  });

  test('is detected directly after the start of the core if no server has answered yet', () => {
    const outage = new OutageDetector();
    for (let i = 0; i < 5; i++) outage.firstLook(i, false, start + i);
    assert.equal(outage.isOpen, true);
  });
});

describe('an outage in which some networks still answer', () => {
  const one = (network: number): boolean => network % 10 === 0;

  test('is treated as a remote fault after ten minutes, and missing replies count as evidence again', () => {
    const fleet = healthy(200);
    const outAt = fleet.now;
    run(fleet, 200, 60, one);
    assert.equal(fleet.outage.isOpen, true);
    run(fleet, 200, 540, one);
    assert.equal(fleet.outage.isOpen, true);
    run(fleet, 200, 60, one);
    assert.equal(fleet.outage.isOpen, false);
    assert.ok(fleet.outage.closedAt <= outAt + 11 * MINUTE);
    // The share of failures is the usual share now, so it does not open the circuit again.
    assert.equal(run(fleet, 200, 1_200, one).opened, false);
  });

  test('is still detected after a total outage of 20 minutes, which never counts as the normal state', () => {
    for (const networks of [4, 200, 1_000]) {
      const fleet = healthy(networks);
      run(fleet, networks, 1_200, none);
      run(fleet, networks, 120, all);
      assert.equal(fleet.outage.isOpen, false, `${networks} networks`);
      if (networks > 100) assert.equal(run(fleet, networks, 60, one).opened, true, `${networks} networks`);
    }
  });

  test('is still detected after ten total outages, which never count as the normal state', () => {
    const fleet = healthy(200);
    for (let outage = 0; outage < 10; outage++) {
      run(fleet, 200, 300, none);
      assert.equal(fleet.outage.isOpen, true, `outage ${outage}`);
      run(fleet, 200, 120, all);
      assert.equal(fleet.outage.isOpen, false, `after outage ${outage}`);
    }
    // After ten outages of five minutes, missing answers from half of all networks are no outage, but missing
    // answers from nine tenths are an outage.
    assert.equal(run(fleet, 200, 60, network => network % 2 === 0).opened, false);
    run(fleet, 200, 120, one);
    assert.equal(fleet.outage.isOpen, true);
  });
});

test('the outage detector still works after the clock was set back by an hour', () => {
  const fleet = healthy(200);
  fleet.now -= 60 * MINUTE;
  run(fleet, 200, 60, network => network % 10 === 0);
  assert.equal(fleet.outage.isOpen, true);
  fleet.now -= 60 * MINUTE;
  run(fleet, 200, 60, all);
  assert.equal(fleet.outage.isOpen, false);
});
