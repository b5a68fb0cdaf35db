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

const CALENDAR_HOUR = Date.UTC(2026, 0, 1, 13);
/**
 * Hour phase of a server, ms. Each hour of samples of this server starts PHASE milliseconds after a full hour of the
 * clock.
 */
const PHASE = 2_469_000;
/**
 * Start of the hour whose samples the tests encode, Unix ms. It is PHASE milliseconds after a full hour of the clock.
 */
const HOUR = CALENDAR_HOUR + PHASE;
const MINUTE = 60_000;

/**
 * Returns a sample of an online server with 7 players and 32 slots. `second`: time of the sample, in seconds since the
 * start of the hour. `change` replaces single fields.
 */
function sampleAt(second: number, change: Partial<Sample> = {}): Sample {
  return {
    at: HOUR + second * 1_000,
    state: 'online',
    players: 7,
    maxPlayers: 32,
    bots: 0,
    holdMs: 1.5 * MINUTE,
    ...change,
  };
}

function offlineAt(second: number, change: Partial<Sample> = {}): Sample {
  return sampleAt(second, {
    state: 'offline',
    players: undefined,
    maxPlayers: undefined,
    ...change,
  });
}

function openHour([first, ...others]: readonly Sample[]): Uint8Array {
  assert.ok(first);
  const begun: Uint8Array = beginHour(first, PHASE);
  return others.reduce((open, sample) => appendSample(open, sample, PHASE), begun);
}

const stored = (samples: readonly Sample[]): Sample[] => decodeHour(sealedHour(openHour(samples)));

/**
 * Returns random samples of an hour, sorted by time. Most samples come about one probe interval after the previous
 * sample.
 */
function randomSamples(below: (most: number) => number): Sample[] {
  const samples: Sample[] = [];
  let state: Sample['state'] = 'online';
  let minutes = 1;
  let players = below(40);
  let maxPlayers: number | undefined = 32;
  let bots = 0;
  const wild = below(4) === 0;
  for (let at = HOUR + below(wild ? 3_600_000 : 60_000); at < HOUR + 3_600_000; ) {
    if (below(wild ? 3 : 20) === 0) state = (['online', 'offline', 'unknown'] as const)[below(3)] ?? 'online';
    if (below(wild ? 4 : 30) === 0) minutes = 1 + below(wild ? 2_000 : 15);
    if (below(2) === 0) players = Math.max(0, players + below(5) - 2);
    if (below(30) === 0) players = below(wild ? 2 ** 32 : 200);
    if (below(30) === 0) maxPlayers = below(3) === 0 ? undefined : below(wild ? 2 ** 32 : 100);
    if (below(30) === 0) bots = below(wild ? 2 ** 32 : 20);
    const isOnline = state === 'online';
    samples.push({
      at,
      state,
      players: isOnline && below(50) > 0 ? players : undefined,
      maxPlayers: isOnline ? maxPlayers : undefined,
      bots: isOnline ? bots : 0,
      holdMs: minutes * 1.5 * MINUTE - (wild ? below(80_000) : 0),
    });
    const due = at + minutes * MINUTE + below(20_000) - 10_000;
    at = below(wild ? 2 : 10) === 0 ? at + below(200_000) - 5_000 : due;
  }
  return samples;
}

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
