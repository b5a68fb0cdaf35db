import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import {
  BEGIN,
  DAY,
  everyMinute,
  HOUR,
  hoursOf,
  KEY,
  MINUTE,
  onlineAt,
  openHistory,
} from './opened-history.ts';

test('the history shows no samples of a removed server; after a new insert, it shows only the samples since this insert', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  // For this server, each hour of samples begins 52 minutes and 15 seconds after a full hour. So the server's removal
  // at 06:00 and its first new sample at 06:05 are in the same hour.
  const last = BEGIN + DAY + 5 * HOUR + 52 * MINUTE;
  const samples = [
    ...everyMinute(BEGIN, last, at => onlineAt(at, 8)),
    { ...onlineAt(last, 8), holdMs: 90 * MINUTE },
  ];
  for (const hour of hoursOf(KEY, samples)) history.store.sealHour(KEY, hour);
  history.store.addOffline(KEY, BEGIN + HOUR, 'no_reply');
  await history.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.maintain();
  clock.at = BEGIN + DAY + 6 * HOUR;
  history.store.remove([KEY]);
  const shown = async (): Promise<number[]> =>
    Promise.all([
      history.store.hours(KEY, BEGIN, BEGIN + 2 * DAY),
      history.store.quarters(KEY, BEGIN, BEGIN + 2 * DAY),
      history.store.days(KEY, BEGIN, BEGIN + 2 * DAY),
      history.store.incidents(KEY, BEGIN + 2 * DAY, 10),
    ]).then(found => found.map(({ length }) => length));
  assert.deepEqual(await shown(), [0, 0, 0, 0]);
  const again = everyMinute(clock.at + 5 * MINUTE, clock.at + 65 * MINUTE, at => onlineAt(at, 2));
  for (const hour of hoursOf(KEY, again)) history.store.sealHour(KEY, hour);
  await history.flush();
  clock.at = BEGIN + 2 * DAY + 3 * HOUR;
  await history.maintain();
  assert.deepEqual(await shown(), [2, 5, 1, 0]);
  assert.equal((await history.store.days(KEY, BEGIN, BEGIN + 2 * DAY))[0]?.playersMax, 2);
});
