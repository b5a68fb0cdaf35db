import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_GAMMA } from '../../../core/history/bit-stream.ts';
import {
  appendSample,
  beginHour,
  calendarHourOf,
  decodeHour,
  MAX_HOUR_BYTES,
  sealedHour,
} from '../../../core/history/hour-coding.ts';
import type { Sample } from '../../../core/history/sample.ts';
import { randomNumbers } from '../../system/random-numbers.ts';
import { HourModel } from './hour-model.ts';
import {
  CALENDAR_HOUR,
  HOUR,
  MINUTE,
  offlineAt,
  openHour,
  PHASE,
  randomSamples,
  sampleAt,
} from './hour-samples.ts';

const stored = (samples: readonly Sample[]): Sample[] => decodeHour(sealedHour(openHour(samples)));

describe('the encoder for one hour of server samples', () => {
  test('keeps the same samples as a simple reference implementation', () => {
    for (let seed = 1; seed <= 1_000; seed++) {
      const samples = randomSamples(randomNumbers(seed));
      const [first] = samples;
      if (!first) continue;
      const model = new HourModel(first, PHASE);
      let open: Uint8Array = beginHour(first, PHASE);
      for (const sample of samples.slice(1)) {
        const longer = appendSample(open, sample, PHASE);
        const isFull = longer === open && model.accepts(sample);
        if (isFull) assert.ok(open.length > MAX_HOUR_BYTES - 30, `seed ${seed}`);
        else model.append(sample);
        open = longer;
      }
      assert.deepEqual(decodeHour(sealedHour(open)), model.samples, `seed ${seed}`);
      assert.equal(calendarHourOf(open), CALENDAR_HOUR);
      assert.ok(open.length <= MAX_HOUR_BYTES + 3);
    }
  });

  test('keeps the exact time of samples that are one probe interval apart', () => {
    const samples = Array.from({ length: 60 }, (_, i) => sampleAt(11 + i * 60, { players: i % 13 }));
    assert.deepEqual(stored(samples), samples);
  });

  test('changes the time of a sample by at most 15 seconds', () => {
    const samples = Array.from({ length: 59 }, (_, i) => sampleAt(i * 61));
    stored(samples).forEach(({ at }, i) => {
      assert.ok(Math.abs(at - (samples[i]?.at ?? 0)) <= 15_000, `sample ${i}`);
    });
  });

  test('stores a field without rounding if the field has its largest or its smallest allowed value', () => {
    const samples = [
      sampleAt(0, { players: 8_388_606, maxPlayers: 0, bots: 8_388_606, holdMs: 1_440 * 1.5 * MINUTE }),
      sampleAt(60, { players: undefined, maxPlayers: 8_388_606, bots: 0 }),
      sampleAt(120, { players: 8_388_606, maxPlayers: undefined, bots: 0 }),
      sampleAt(180, { players: 0, maxPlayers: undefined, bots: 0 }),
      sampleAt(3_599),
    ];
    assert.deepEqual(stored(samples), samples);
    assert.ok(2 * 8_388_607 + 1 <= MAX_GAMMA);
  });

  test('limits the number of players to 8,388,606 and rounds probe intervals up to whole minutes', () => {
    const [sample] = stored([sampleAt(0, { players: 2 ** 32 - 1, holdMs: 91_000 })]);
    assert.deepEqual([sample?.players, sample?.holdMs], [8_388_606, 180_000]);
  });

  test('discards a sample within 45 seconds of the last sample if the server has the same state', () => {
    const samples = [
      sampleAt(0),
      sampleAt(44),
      sampleAt(45),
      offlineAt(46),
      offlineAt(60),
      sampleAt(61),
      offlineAt(106),
    ];
    assert.deepEqual(
      stored(samples).map(({ at, state }) => [(at - HOUR) / 1_000, state]),
      [
        [0, 'online'],
        [60, 'online'],
        [61, 'offline'],
        [62, 'online'],
        [106, 'offline'],
      ],
    );
  });

  test('discards a sample that is older than the last sample', () => {
    const open = openHour([sampleAt(1_000)]);
    assert.equal(appendSample(open, sampleAt(940), PHASE), open);
    assert.equal(appendSample(open, offlineAt(984), PHASE), open);
  });

  test('discards further samples when the encoded hour has reached its maximum size', () => {
    const samples = Array.from({ length: 1_200 }, (_, i) =>
      i % 2 === 0 ? sampleAt(3 * i, { players: 1_000 * (i % 7) }) : offlineAt(3 * i),
    );
    const open = openHour(samples);
    assert.ok(open.length <= MAX_HOUR_BYTES + 3);
    assert.deepEqual(decodeHour(sealedHour(open)).slice(0, 50), samples.slice(0, 50));
  });

  test('appends a sample to a copy of the encoded hour, and does not change the original bytes', () => {
    const open = openHour([sampleAt(0), sampleAt(60), sampleAt(120), sampleAt(180), sampleAt(240)]);
    const before = Buffer.from(open);
    appendSample(open, sampleAt(300), PHASE);
    appendSample(open, sampleAt(300, { players: 9 }), PHASE);
    assert.deepEqual(open, before);
  });

  test('needs at most 36 bytes for 60 samples with similar numbers of players', () => {
    const hour = (players: (i: number) => number) =>
      openHour(Array.from({ length: 60 }, (_, i) => sampleAt(7 + i * 60, { players: players(i) }))).length;
    assert.ok(hour(() => 0) <= 9);
    assert.ok(hour(i => 10 + (i % 2)) <= 36);
  });
});
