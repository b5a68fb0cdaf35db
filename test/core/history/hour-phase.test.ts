import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addSample } from '../../../core/history/add-sample.ts';
import { hourPhase, hourPhaseOfKey } from '../../../core/history/hour-phase.ts';
import { nextInPhase } from '../../../core/servers/probe-interval.ts';
import { newRecord } from '../../../core/servers/record-status.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const BEGIN = Date.UTC(2026, 0, 1);
const SERVERS = 6_000;
/**
 * Similar addresses: with a weak hash of the addresses, the one-hour sample blocks of these servers would begin at
 * almost the same time.
 */
const ADDRESSES = Array.from(
  { length: SERVERS },
  (_, i) => `203.0.113.${i % 200}:${27_015 + Math.floor(i / 200)}`,
);

/**
 * Simulates probes of a server until its first one-hour block of samples is finished. `at` in the result: time of the
 * last probe, Unix ms. `hour`: start of the clock hour in which the block began, Unix ms.
 */
function sealingOf(address: string): { at: number; hour: number } {
  const record = newRecord('csgo', address, 'tok_1', BEGIN, MINUTE);
  const changed = { ...record };
  for (let at = nextInPhase(record, BEGIN + HOUR, MINUTE); ; at = nextInPhase(record, at, MINUTE)) {
    const sealed = addSample(changed, {
      at,
      state: 'online',
      players: 5,
      maxPlayers: 32,
      bots: 0,
      holdMs: 1.5 * MINUTE,
    });
    if (sealed) return { at, hour: sealed.hour };
  }
}

/**
 * Returns how many of `times` (Unix ms) fall into each minute or second of the hour. For example, 13:05 and 14:05 fall
 * into the same minute. `unit`: length of a minute or of a second, ms.
 */
function countBy(times: readonly number[], unit: number): number[] {
  const counts = new Array<number>(HOUR / unit).fill(0);
  for (const at of times) {
    const slot = Math.floor((at % HOUR) / unit);
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return counts;
}

describe('the one-hour sample blocks of different servers', () => {
  const sealings = ADDRESSES.map(sealingOf);

  test('end at times that are spread over the whole hour', t => {
    const times = sealings.map(({ at }) => at);
    assert.ok(Math.max(...times) - Math.min(...times) <= HOUR + MINUTE);
    const minutes = countBy(times, MINUTE);
    t.diagnostic(`sealed in a minute: ${Math.min(...minutes)} to ${Math.max(...minutes)} of ${SERVERS}`);
    // The ends of 6,000 one-hour blocks of samples are spread over one hour: on average 100 in each minute, and 1.7 in
    // each second. The test allows 50 to 150 in each minute, and at most 10 in each second. Chance alone almost never
    // exceeds these limits, because each limit is at least five standard deviations away from the average.
    assert.ok(Math.max(...minutes) <= 150 && Math.min(...minutes) >= 50);
    assert.ok(Math.max(...countBy(times, 1_000)) <= 10);
  });

  test('are complete at the first probe after the end of their hour', () => {
    for (const [i, { at, hour }] of sealings.entries()) {
      const end = hour + hourPhaseOfKey(`csgo ${ADDRESSES[i]}`) + HOUR;
      assert.ok(at >= end && at < end + MINUTE);
    }
  });
});

test('hourPhase() and hourPhaseOfKey() return the same start time for the hourly sample blocks of a server', () => {
  for (const address of ADDRESSES) {
    const phase = hourPhase({ gameId: 'csgo', address });
    assert.equal(phase, hourPhaseOfKey(`csgo ${address}`));
    assert.ok(phase >= 0 && phase < HOUR && phase % 1_000 === 0);
  }
});
