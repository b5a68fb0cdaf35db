import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addSample } from '../../../core/history/add-sample.ts';
import { decodeHour, MAX_HOUR_BYTES, sealedHour } from '../../../core/history/hour-coding.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import { PATTERNS, type Pattern, simulatedServer } from './simulated-fleet.ts';

const HOURS = 48;

/** Totals for all simulated servers: encoded samples, hours with samples, and bytes. */
interface Sizes {
  samples: number;
  hours: number;
  bytes: number;
  /** Largest size of the encoded samples of one hour, in bytes. */
  longest: number;
}

/** Encodes the samples of simulated servers, hour by hour. Returns totals over all finished hours. */
function sizesOf(pattern: Pattern, servers: number, longEmptyMinutes: number): Sizes {
  const sizes = { samples: 0, hours: 0, bytes: 0, longest: 0 };
  for (let seed = 1; seed <= servers; seed++) {
    const record = newRecord('csgo', `203.0.113.${seed}:27015`, 'tok_1', 0, 60_000);
    const changed = { ...record };
    for (const sample of simulatedServer(pattern, seed, HOURS, longEmptyMinutes)) {
      const sealed = addSample(changed, sample);
      if (!sealed) continue;
      sizes.samples += decodeHour(sealed).length;
      sizes.hours++;
      sizes.bytes += sealed.samples.length;
      sizes.longest = Math.max(sizes.longest, sealed.samples.length);
    }
    assert.ok(decodeHour(sealedHour(changed.openHour)).length > 0);
  }
  return sizes;
}

const bitsPerSample = ({ samples, bytes }: Sizes): number => (bytes * 8) / samples;
const bytesPerHour = ({ hours, bytes }: Sizes): number => bytes / hours;

describe('the encoded history samples of simulated servers', () => {
  for (const [longEmptyMinutes, bits, bytes] of [
    [1, 2.1, 14],
    [5, 3.6, 14],
  ] as const) {
    test(`need at most ${bits} bits per sample on average if empty servers are probed every ${longEmptyMinutes} min`, t => {
      const all: Sizes = { samples: 0, hours: 0, bytes: 0, longest: 0 };
      for (const [pattern, servers] of Object.entries(PATTERNS) as [Pattern, number][]) {
        const sizes = sizesOf(pattern, servers, longEmptyMinutes);
        t.diagnostic(
          `${pattern}: ${bitsPerSample(sizes).toFixed(2)} bits a sample, ${bytesPerHour(sizes).toFixed(1)} bytes an hour, at most ${sizes.longest}`,
        );
        for (const key of ['samples', 'hours', 'bytes'] as const) all[key] += sizes[key];
        all.longest = Math.max(all.longest, sizes.longest);
      }
      t.diagnostic(
        `fleet: ${bitsPerSample(all).toFixed(2)} bits a sample, ${bytesPerHour(all).toFixed(1)} bytes an hour`,
      );
      assert.ok(bitsPerSample(all) <= bits);
      assert.ok(bytesPerHour(all) <= bytes);
      assert.ok(all.longest < MAX_HOUR_BYTES, 'no hour is full');
    });
  }
});
