import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { OutageDetector } from '../../../core/detector/outage-detector.ts';
import { type Fleet, healthy, MINUTE, SECOND, start } from './outage-fleet.ts';

describe('a total outage of the prober (no network answers)', () => {
  /**
   * Simulates the beginning of a total outage: after one last answer, one unanswered probe a second. Each of these
   * probes goes to a different network. `networks`: number of unanswered probes.
   */
  const silent = (fleet: Fleet, networks: number): void => {
    fleet.outage.heard(fleet.now);
    for (let i = 0; i < networks; i++) {
      fleet.now += SECOND;
      fleet.outage.firstLook(i, false, fleet.now);
    }
  };

  test('is detected if five networks are silent and no answer arrived for 5 s', () => {
    const four = healthy(10);
    silent(four, 4);
    four.now += MINUTE;
    four.outage.firstLook(3, false, four.now);
    assert.equal(four.outage.isOpen, false, 'four');
    silent(four, 5);
    assert.equal(four.outage.isOpen, true, 'five');
  });

  test('is detected 5 s after the last answer, even if this answer came late', () => {
    const fleet = healthy(10);
    const { outage } = fleet;
    for (let i = 0; i < 10; i++) outage.firstLook(i, false, fleet.now + 1_000);
    // Simulates a late answer to an earlier probe. This answer resets the number of unanswered probes to zero. No
    // outage can be detected in the 5 s after this answer.
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

  test('is over as soon as one network answers', () => {
    const fleet = healthy(10);
    silent(fleet, 5);
    fleet.now += SECOND;
    fleet.outage.heard(fleet.now);
    assert.deepEqual([fleet.outage.isOpen, fleet.outage.closedAt], [false, fleet.now]);
  });

  test('is detected even if no server has answered since the start of the core', () => {
    const outage = new OutageDetector();
    for (let i = 0; i < 5; i++) outage.firstLook(i, false, start + i);
    assert.equal(outage.isOpen, true);
  });
});
