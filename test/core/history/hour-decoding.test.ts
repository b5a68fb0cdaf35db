import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appendSample, decodeHour, sealedHour } from '../../../core/history/hour-coding.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { CALENDAR_HOUR, openHour, PHASE, randomSamples, sampleAt } from './hour-samples.ts';

describe('the decoder for one hour of server samples', () => {
  /** Decodes bytes as the samples of an hour. Returns undefined if the decoder refuses the bytes. */
  function decoded(samples: Buffer): Sample[] | undefined {
    try {
      return decodeHour({ hour: CALENDAR_HOUR, samples });
    } catch (error) {
      assert.equal((error as Error).name, 'CorruptHourError');
      return undefined;
    }
  }

  test('either refuses damaged bytes, or returns valid samples in order of time', () => {
    const below = randomNumbers(11);
    const refused = { yes: 0, no: 0 };
    for (let i = 0; i < 8_000; i++) {
      const { samples } = sealedHour(openHour([sampleAt(5), ...randomSamples(below)]));
      const bytes =
        below(2) === 0
          ? Buffer.from(samples)
          : Buffer.from(Array.from({ length: below(40) }, () => below(256)));
      for (let flips = 1 + below(3); flips > 0 && bytes.length > 0; flips--) {
        const at = below(bytes.length);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << below(8));
      }
      const found = decoded(bytes.subarray(0, below(8) === 0 ? below(bytes.length + 1) : bytes.length));
      refused[found ? 'no' : 'yes']++;
      let last = CALENDAR_HOUR - 1;
      for (const { at, players = 0, maxPlayers = 0, bots, holdMs } of found ?? []) {
        assert.ok(at > last && at < CALENDAR_HOUR + 7_200_000);
        assert.ok(
          Math.min(players, maxPlayers, bots) >= 0 && Math.max(players, maxPlayers, bots) <= 8_388_606,
        );
        assert.ok(holdMs >= 90_000 && holdMs <= 1_440 * 90_000);
        last = at;
      }
    }
    assert.ok(refused.yes > 500 && refused.no > 500, JSON.stringify(refused));
  });

  test('refuses bytes that are empty or contain only zeros', () => {
    assert.equal(decoded(Buffer.alloc(0)), undefined);
    assert.equal(decoded(Buffer.alloc(30)), undefined);
    assert.throws(() => appendSample(Buffer.alloc(3), sampleAt(0), PHASE), { name: 'CorruptHourError' });
  });

  test('never returns all samples if the bytes are truncated', () => {
    const open = openHour(Array.from({ length: 60 }, (_, i) => sampleAt(i * 60, { players: (i * 7) % 12 })));
    const { samples } = sealedHour(open);
    for (let length = 0; length < samples.length; length++) {
      const found = decoded(samples.subarray(0, length));
      assert.ok(!found || found.length < 60);
    }
  });
});
