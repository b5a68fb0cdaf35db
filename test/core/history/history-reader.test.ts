import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HistoryReader } from '../../../core/history/history-reader.ts';
import type { SealedHour } from '../../../core/history/history-store.ts';
import { sealedHour } from '../../../core/history/hour-coding.ts';
import { DAY, MINUTE, minutes, QUARTER, recorded, retention, START, sample } from './recorded-history.ts';

/** Creates a reader of a history that contains only `stored`: the encoded samples of one or more hours. */
function readerOf(stored: SealedHour[], now: number): HistoryReader {
  const [hours, none] = [async () => stored, async () => []];
  const store = { hours, quarters: none, days: none, incidents: none, oldest: () => 0 };
  return new HistoryReader({ store, retention, longestHoldMs: 90 * MINUTE, now: () => now });
}

describe('the history of a server', () => {
  it('shows the mean and the highest number of players of each step', async () => {
    const to = START + 4 * MINUTE;
    const { compare } = recorded(
      minutes(START, to, i => i),
      { now: to },
    );
    const [first, second] = await compare(START, to, 2 * MINUTE);
    assert.deepEqual([first?.playerMs, first?.countedMs, first?.playersMax], [MINUTE, 2 * MINUTE, 1]);
    assert.deepEqual([second?.playerMs, second?.countedMs, second?.playersMax], [5 * MINUTE, 2 * MINUTE, 3]);
  });

  it('counts a gap between samples as unknown, not as online or offline', async () => {
    const gap = START + 10 * MINUTE;
    const to = START + 30 * MINUTE;
    const { compare } = recorded([...minutes(START, gap), ...minutes(gap + 10 * MINUTE, to)], { now: to });
    const steps = await compare(START, to, 5 * MINUTE);
    assert.deepEqual(
      steps.map(step => step && [step.knownMs, step.onlineMs]),
      [
        [300_000, 300_000],
        [300_000, 300_000],
        [30_000, 30_000],
        undefined,
        [300_000, 300_000],
        [300_000, 300_000],
      ],
    );
  });

  it('includes the offline time of the server, but without a number of players', async () => {
    const to = START + 2 * MINUTE;
    const offline = sample(START + MINUTE, { state: 'offline', players: undefined, maxPlayers: undefined });
    const { compare } = recorded([sample(START), offline], { now: to });
    const [step] = await compare(START, to, 2 * MINUTE);
    assert.deepEqual([step?.knownMs, step?.onlineMs, step?.countedMs], [2 * MINUTE, MINUTE, MINUTE]);
  });

  it('counts the time as unknown while a server cannot be queried', async () => {
    const to = START + 2 * MINUTE;
    const unknown = sample(START + 30_000, { state: 'unknown', players: undefined, maxPlayers: undefined });
    const { compare } = recorded([sample(START), unknown], { now: to });
    const steps = await compare(START, to, MINUTE);
    assert.deepEqual([steps[0]?.knownMs, steps[1]], [30_000, undefined]);
  });

  it('ends at the current time, even if the last sample stays valid for longer', async () => {
    const { compare } = recorded([sample(START)], { now: START + 20_000 });
    const steps = await compare(START, START + 2 * MINUTE, MINUTE);
    assert.deepEqual([steps[0]?.knownMs, steps[1]], [20_000, undefined]);
  });

  it('leaves out samples from before the insert of the server', async () => {
    const to = START + 10 * MINUTE;
    const insertedAt = START + 5 * MINUTE;
    const { compare } = recorded(minutes(START, to), { now: to, insertedAt });
    const steps = await compare(START, to, MINUTE);
    assert.equal(
      steps.findIndex(step => step !== undefined),
      5,
    );
  });

  it('is unknown before the insert of the server and after the current time', async () => {
    const { reader, server } = recorded([sample(START)], { now: START + MINUTE });
    const stepMs = 1_000 * DAY;
    const from = Math.floor(START / stepMs) * stepMs;
    const steps = await reader.steps(server, { from: 0, to: 2_000 * stepMs, stepMs });
    assert.equal(steps.length, 2_000);
    assert.deepEqual(
      steps.flatMap((step, i) => (step ? [i] : [])),
      [from / stepMs],
    );
  });

  it('shows all stored samples of the current hour, even if the server record contains only some of these samples', async () => {
    const to = START + 5 * MINUTE;
    const { server, reader } = recorded(minutes(START, to), { now: to });
    const older = recorded(minutes(START, START + MINUTE), { now: to });
    const hours = [sealedHour(server.openHour)];
    const after = readerOf(hours, to);
    const range = { from: START, to, stepMs: MINUTE };
    const expected = await reader.steps(server, range);
    for (const some of [older.server, server]) assert.deepEqual(await after.steps(some, range), expected);
  });

  it('shows the samples of the current hour, even if the history also contains samples with future times', async () => {
    const to = START + 5 * MINUTE;
    const { server, reader } = recorded(minutes(START, to), { now: to });
    const hours = [30, 60].map(from => {
      const wrong = minutes(START + from * MINUTE, START + (from + 30) * MINUTE);
      return sealedHour(recorded(wrong, { now: to }).server.openHour);
    });
    const after = readerOf(hours, to);
    const range = { from: START, to, stepMs: MINUTE };
    assert.deepEqual(await after.steps(server, range), await reader.steps(server, range));
  });

  it('equals a calculation from all samples, even if only totals of the old samples are stored', async () => {
    const rolledUpTo = START + 5 * DAY;
    const now = rolledUpTo + 1.5 * DAY + 17_000;
    const wave = (i: number) => Math.round(10 + 10 * Math.sin(i / 200));
    const all = minutes(START, now - (now % MINUTE), wave).filter(
      ({ at }) => at % (7 * 3_600_000) > 40 * MINUTE,
    );
    for (const summedTo of [0, START + 2 * DAY]) {
      const { compare } = recorded(all, { now, rolledUpTo, summedTo });
      const end = START + 7 * DAY;
      await compare(START, end, DAY);
      await compare(START, end, 7 * DAY);
      await compare(START + 2 * DAY, end, QUARTER);
      await compare(START + 2 * DAY, end, 5 * 3_600_000);
      await compare(rolledUpTo, rolledUpTo + 1.5 * DAY, MINUTE);
      await compare(rolledUpTo, rolledUpTo + 1.5 * DAY, 10 * MINUTE);
    }
  });
});

describe('a history step of several years', () => {
  it('sums the figures of the days that it contains', async () => {
    const now = START + 5 * DAY + 8 * MINUTE;
    const { reader, server, naive } = recorded(minutes(START, now - (now % MINUTE)), { now });
    const stepMs = 3_660 * DAY;
    const to = Math.ceil(now / stepMs) * stepMs;
    const [before, step] = await reader.steps(server, { from: to - 2 * stepMs, to, stepMs });
    assert.equal(before, undefined);
    assert.deepEqual(step, naive.figures(to - stepMs, to, now));
  });
});
