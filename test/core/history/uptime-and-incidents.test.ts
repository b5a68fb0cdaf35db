import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY, MINUTE, minutes, recorded, START, sample } from './recorded-history.ts';

describe('the uptime of a server', () => {
  it('has two parts for each time window: the time with known status and the time online', async () => {
    const now = START + DAY;
    const offline = minutes(START + DAY / 2, START + DAY / 2 + 60 * MINUTE).map(({ at }) =>
      sample(at, { state: 'offline', players: undefined, maxPlayers: undefined }),
    );
    const samples = [
      ...minutes(START + DAY / 4, START + DAY / 2),
      ...offline,
      ...minutes(START + DAY / 2 + 60 * MINUTE, now),
    ];
    const { reader, server } = recorded(samples, { now });
    const { from, to, knownMs, onlineMs } = await reader.window(server, { text: '24h', ms: DAY });
    assert.deepEqual([from, to], [START, now]);
    assert.deepEqual([knownMs, onlineMs], [0.75 * DAY, 0.75 * DAY - 60 * MINUTE]);
  });

  it('is the same as a calculation from all samples, for windows of hours, weeks and years', async () => {
    const now = START + 40 * DAY + 3 * 3_600_000 + 8 * MINUTE + 5_000;
    const samples = minutes(START, now - (now % MINUTE)).filter((_, i) => i % 1_000 < 800);
    const { reader, server, naive } = recorded(samples, {
      now,
      rolledUpTo: START + 39 * DAY,
      summedTo: START + 9 * DAY,
    });
    for (const ms of [3_600_000, DAY, 2 * DAY, 7 * DAY, 30 * DAY, 365 * DAY]) {
      const figures = await reader.window(server, { text: '', ms });
      assert.deepEqual(figures, naive.figures(figures.from, now, now), String(ms));
      assert.ok(now - ms - figures.from < DAY && figures.from <= now - ms);
    }
  });

  it('is unknown for a server without samples', async () => {
    const { reader, server } = recorded([], { now: START + DAY });
    assert.equal((await reader.window(server, { text: '7d', ms: 7 * DAY })).knownMs, 0);
  });

  it('does not count time after the current time, even if the last sample has a time some seconds in the future', async () => {
    const now = START + 2 * MINUTE - 5_000;
    const { reader, server } = recorded(minutes(START, START + 3 * MINUTE), { now });
    const { knownMs } = await reader.window(server, { text: '24h', ms: DAY });
    assert.equal(knownMs, now - START);
  });

  it('counts the first sample of a server that was probed within the same second as its insert', async () => {
    const { reader, server } = recorded(minutes(START, START + MINUTE), {
      now: START + MINUTE,
      insertedAt: START + 400,
    });
    const { knownMs } = await reader.window(server, { text: '24h', ms: DAY });
    assert.equal(knownMs, MINUTE);
  });
});

describe('the incidents of a server', () => {
  it('include only incidents after the insert of the server', async () => {
    const { reader, server } = recorded([], { now: START + 2 * DAY });
    const judged = { ...server, status: 'offline' as const, lastProbeAt: START + 2 * DAY };
    const incidents = await reader.incidents(judged, Number.POSITIVE_INFINITY, 10);
    assert.deepEqual(
      incidents.map(({ reason, ended }) => [reason, ended]),
      [['no_reply', undefined]],
    );
  });
});
