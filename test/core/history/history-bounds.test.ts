import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HistoryReader } from '../../../core/history/history-reader.ts';
import type { OfflineSpan } from '../../../core/history/history-store.ts';

const DAY = 86_400_000;
const KEY = 'csgo 1.2.3.4:27015';
const START = Date.UTC(2026, 4, 18);
const retention = { samplesMs: DAY, quartersMs: 30 * DAY };
const none = async () => [];

describe('the uptime of a server', () => {
  it('is computed from daily totals if the more detailed data of the period were deleted', async () => {
    const now = START + 4_000 * DAY;
    const asked: [kind: string, from: number][] = [];
    const nothing = (kind: string) => async (_: string, from: number) => {
      asked.push([kind, from]);
      return [];
    };
    const store = {
      ...{ hours: nothing('hours'), quarters: nothing('quarters'), days: nothing('days') },
      oldest: (kind: string) => now - (kind === 'hours' ? 2 : 31) * DAY,
      incidents: none,
    };
    const reader = new HistoryReader({ store, retention, longestHoldMs: 5_400_000, now: () => now });
    const server = { key: KEY, insertedAt: START, openHour: Buffer.alloc(0) };
    assert.equal((await reader.window(server, { text: '3660d', ms: 3_660 * DAY })).knownMs, 0);
    assert.deepEqual(asked, [
      ['days', now - 3_660 * DAY],
      ['quarters', now - 31 * DAY],
      // A sample can count as the status of its server for up to 1.5 days. So the reader also needs the samples from
      // the 1.5 days before the requested time.
      ['hours', now - 2 * DAY - 1.5 * DAY],
    ]);
  });
});

describe('an incident of a server', () => {
  it('is shown as ended if its end is not stored but the server is online again', async () => {
    const open: OfflineSpan = { started: START, ended: undefined, reason: 'no_reply' };
    const store = {
      hours: none,
      quarters: none,
      days: none,
      oldest: () => START,
      incidents: async () => [open],
    };
    const reader = new HistoryReader({ store, retention, longestHoldMs: 5_400_000, now: () => START + DAY });
    const endAfter = async (lastProbeAt: number): Promise<number | undefined> => {
      const server = { key: KEY, insertedAt: START, status: 'online' as const, lastProbeAt };
      return (await reader.incidents(server, Number.POSITIVE_INFINITY, 1))[0]?.ended;
    };
    assert.equal(await endAfter(START + 1), START);
    // According to this server record, the last probe was before the start of the incident. Such an old record does not
    // show that the incident has ended.
    assert.equal(await endAfter(START - 1), undefined);
  });
});
