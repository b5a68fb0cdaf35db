import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  evidenceOf,
  expectedLoss,
  firmness,
  type Measured,
  shareLost,
  THRESHOLD,
} from '../../../core/detector/evidence.ts';

const near = (found: number, expected: number): void =>
  assert.ok(Math.abs(found - expected) < 1e-3, `${found}, not ${expected}`);

/**
 * Measured packet loss of 1 % for a host and 1 % for the uplink (the prober's network connection). Many packets were
 * measured, so the values are reliable.
 */
const known: Measured = { hostLoss: 0.01, uplinkLoss: 0.01, hostPackets: 128, answers: 15, ownShare: 0 };

test('THRESHOLD, the evidence needed for an offline verdict, limits the probability of a false verdict to 10^-8', () => {
  near(Math.exp(-THRESHOLD) * 1e8, 1);
});

test('shareLost() averages measured and expected packet loss: after 16 measured packets, both have the same weight', () => {
  near(shareLost(0, 0, 0.01), 0.01);
  near(shareLost(16, 0, 0.4), 0.2);
  near(shareLost(100, 20, 0.05), 20.8 / 116);
  near(shareLost(1e6, 2e5, 0.01), 0.2);
});

test('the expected packet loss of a server is the larger of two values: the loss of its host and its own loss', () => {
  near(expectedLoss(known), 0.01);
  near(expectedLoss({ ...known, hostLoss: 0.3 }), 0.3);
  near(expectedLoss({ ...known, ownShare: 0.4 }), (45 * 0.4 + 0.16) / 61);
  near(expectedLoss({ ...known, hostLoss: 0.3, ownShare: 0.1 }), 0.3);
});

test("packet loss on the prober's own connection raises the expected packet loss of a server, but at most to 10 %", () => {
  near(expectedLoss({ ...known, answers: 0, uplinkLoss: 0.08 }), 0.08);
  near(expectedLoss({ ...known, answers: 0, uplinkLoss: 0.6 }), 0.1);
});

test('the expected packet loss is 50 % before the first packet, and falls to the measured loss after 24 packets', () => {
  const cold = { ...known, hostPackets: 0, answers: 0 };
  near(expectedLoss(cold), 0.5);
  near(expectedLoss({ ...cold, hostPackets: 12 }), 0.25);
  near(expectedLoss({ ...cold, answers: 4 }), 0.25);
  near(expectedLoss({ ...cold, hostPackets: 6, answers: 2 }), 0.25);
  near(expectedLoss({ ...cold, hostPackets: 24 }), 0.01);
  near(expectedLoss({ ...cold, answers: 8 }), 0.01);
});

test('firmness(), the reliability of a measured packet loss, is 32 before the first packet, and grows to 160 with more packets', () => {
  assert.deepEqual([0, 10, 128, 1e6].map(firmness), [32, 42, 160, 160]);
});

test('a lost packet adds less evidence for "offline" than the lost packet before it', () => {
  // Four packets in a row are lost, and each adds evidence for the verdict offline. The expected packet loss is 0.01,
  // and this expectation is based on 32 packets. Therefore the n-th lost packet adds ln((32 + n) / (0.32 + n)).
  [3.2189, 2.6847, 2.3553, 2.1201].forEach((expected, i) => {
    near(evidenceOf(0.01, 32, i + 1), expected);
  });
  near(evidenceOf(0.2, 160, 1), Math.log(161 / 33));
  near(evidenceOf(1, 32, 7), 0);
});

/**
 * Returns how many packets in a row must be lost for an offline verdict. `loss`: expected packet loss, from 0 to 1.
 * `firm`: number of earlier packets on which this expectation is based.
 */
function packetsToConvict(loss: number, firm: number): number {
  let evidence = 0;
  for (let nth = 1; ; nth++) {
    evidence += evidenceOf(loss, firm, nth);
    if (evidence >= THRESHOLD) return nth;
  }
}

test('an offline verdict needs more lost packets if the expected packet loss is high or was measured with few packets', () => {
  assert.deepEqual(
    [0.01, 0.05, 0.2, 0.4, 0.5].map(loss => packetsToConvict(loss, 160)),
    [6, 8, 13, 23, 31],
    'one of many servers of a host',
  );
  assert.deepEqual(
    [0.01, 0.05, 0.2, 0.4, 0.5].map(loss => packetsToConvict(loss, 32)),
    [9, 11, 19, 36, 52],
    'alone at its host',
  );
});
