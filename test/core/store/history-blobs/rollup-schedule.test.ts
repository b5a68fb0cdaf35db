import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RollupSchedule } from '../../../../core/store/history-blobs/rollup-schedule.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Noon (UTC) of an arbitrary day, Unix ms. */
const NOON = 20_000 * DAY_MS + 12 * HOUR_MS;
const BUCKET = 7;
const NOTHING = Buffer.alloc(0);

/**
 * Creates a schedule for the daily roll-up (summary) of history, and runs it once. `runNextDay` runs it one day later.
 * There is one bucket (group of servers) with one server.
 */
async function opened() {
  const state = { complete: [BUCKET], epoch: 1, onVisit: () => {} };
  const rolled: string[] = [];
  const schedule = new RollupSchedule({
    blobs: {
      epochOf: () => state.epoch,
      readSlices: async (_bucket, slices) =>
        slices.map(() => ({ length: 0, header: NOTHING, bytes: NOTHING })),
    },
    rollup: {
      rollUp: async ({ bucket, epoch, servers }) =>
        void rolled.push(`bucket ${bucket}, epoch ${epoch}, ${servers.length} server`),
    },
    longestHoldMs: HOUR_MS,
    pause: async () => {},
  });
  const servers = {
    complete: () => state.complete,
    visitServers: async (
      [bucket = -1]: readonly number[],
      visit: (bucket: number, server: { key: string; openHour: undefined }) => void,
    ) => {
      visit(bucket, { key: 'csgo 127.0.0.1:27015', openHour: undefined });
      state.onVisit();
    },
  };
  const run = (now: number): Promise<void> => schedule.run(servers, now, new AbortController().signal);
  await run(NOON);
  assert.deepEqual(rolled, []);
  return { state, rolled, runNextDay: () => run(NOON + DAY_MS) };
}

test('the daily roll-up of a bucket (a share of the servers) includes all servers of the bucket', async () => {
  const { rolled, runNextDay } = await opened();
  await runNextDay();
  assert.deepEqual(rolled, ['bucket 7, epoch 1, 1 server']);
});

test('if a core unloads a group of servers while it prepares their daily summary, it writes no summary', async () => {
  const { state, rolled, runNextDay } = await opened();
  state.onVisit = () => {
    state.complete = [];
  };
  await runNextDay();
  assert.deepEqual(rolled, []);
});

test('if a core loses and regains a group of servers while it prepares their daily summary, it writes no summary', async () => {
  const { state, rolled, runNextDay } = await opened();
  state.onVisit = () => {
    state.epoch = 3;
  };
  await runNextDay();
  assert.deepEqual(rolled, []);
  state.onVisit = () => {};
  await runNextDay();
  assert.deepEqual(rolled, ['bucket 7, epoch 3, 1 server']);
});
