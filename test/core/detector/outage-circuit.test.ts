import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OutageDetector } from '../../../core/detector/outage-detector.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { all, healthy, MINUTE, none, probeNetworks, start } from './outage-fleet.ts';

describe('the outage circuit breaker (while it is open, gsq ignores missing replies)', () => {
  for (const networks of [10, 100, 2_000]) {
    test(`opens within 50 s if none of ${networks} networks answers, and closes when they answer again`, () => {
      const fleet = healthy(networks);
      const outAt = fleet.now;
      probeNetworks(fleet, networks, 50, none);
      assert.equal(fleet.outage.isOpen, true);
      assert.ok(fleet.outage.closedAt < outAt);
      probeNetworks(fleet, networks, 600, none);
      assert.equal(fleet.outage.isOpen, true, 'however long nobody answers');
      const backAt = fleet.now;
      probeNetworks(fleet, networks, 120, all);
      assert.equal(fleet.outage.isOpen, false);
      assert.ok(fleet.outage.closedAt > backAt && fleet.outage.closedAt <= fleet.now);
    });

    test(`stays closed if half of ${networks} networks stop answering at the same time`, () => {
      const fleet = healthy(networks);
      assert.equal(probeNetworks(fleet, networks, 60, network => network % 2 === 0).opened, false);
    });
  }

  test('stays closed if half of the probes fail at random in many networks', () => {
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

  test('stays closed if only one network is silent, even if many servers are in this network', () => {
    const fleet = healthy(20);
    for (let i = 0; i < 600; i++) {
      fleet.now += 10;
      fleet.outage.firstLook(1000, false, fleet.now);
      if (i % 100 === 0) fleet.outage.heard(fleet.now);
    }
    assert.equal(fleet.outage.isOpen, false);
  });

  test('opens if 95 % of probes fail in networks with similar addresses', () => {
    for (const shift of [8, 16]) {
      const outage = new OutageDetector();
      let now = start;
      for (let i = 0; i < 1_200; i++) {
        now += 100;
        // The first 600 probes are answered. Of the later probes, only one in twenty is answered. Because some answers
        // arrive even then, only the high share of unanswered probes shows the outage.
        const answered = i < 600 || i % 20 === 0;
        if (answered) outage.heard(now);
        outage.firstLook((5 << 24) | ((i % 250) << shift) | 7, answered, now);
      }
      assert.equal(outage.isOpen, true, `${shift}`);
    }
  });

  test('stays closed while a third of the probes fails for an hour', () => {
    const fleet = { outage: new OutageDetector(), now: start };
    const below = randomNumbers(9);
    assert.equal(probeNetworks(fleet, 1_000, 3_600, () => below(3) > 0).opened, false);
    probeNetworks(fleet, 1_000, 30, () => below(20) === 0);
    assert.equal(fleet.outage.isOpen, true);
  });
});

test('the outage detector detects the start and the end of an outage even if the clock was set back by an hour', () => {
  const fleet = healthy(200);
  fleet.now -= 60 * MINUTE;
  probeNetworks(fleet, 200, 60, network => network % 10 === 0);
  assert.equal(fleet.outage.isOpen, true);
  fleet.now -= 60 * MINUTE;
  probeNetworks(fleet, 200, 60, all);
  assert.equal(fleet.outage.isOpen, false);
});
