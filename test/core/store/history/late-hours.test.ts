import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { dayOf } from './day-summary.ts';
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

test('late samples from before and after midnight are added to the summaries of both days', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  const samples = everyMinute(BEGIN + 20 * HOUR, BEGIN + DAY + 40 * MINUTE, at => onlineAt(at, 8));
  const hours = hoursOf(KEY, samples);
  const last = hours.pop();
  assert.ok(last);
  for (const hour of hours) history.store.sealHour(KEY, hour);
  await history.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.maintain();
  assert.equal((await history.store.days(KEY, BEGIN, BEGIN + DAY))[0]?.knownMs, 3 * HOUR + 53.5 * MINUTE);
  clock.at = BEGIN + 5 * DAY;
  await history.maintain();
  history.store.sealHour(KEY, last);
  await history.flush();
  await history.maintain();
  const days = await history.store.days(KEY, BEGIN, BEGIN + 2 * DAY);
  // The quarter of an hour before midnight already has a summary, which covers 23:45:00 to 23:53:30. Its samples were
  // deleted. A new summary could use only the late samples, which cover less time of this quarter. So the history keeps
  // the old summary.
  assert.equal(days[0]?.knownMs, 4 * HOUR - 6.5 * MINUTE);
  assert.deepEqual(days[1], dayOf(samples, BEGIN + DAY));
  assert.equal(days[1]?.knownMs, 40.5 * MINUTE);
  const quarters = await history.store.quarters(KEY, BEGIN, BEGIN + 2 * DAY);
  assert.equal(quarters.length, 19);
  await history.maintain();
  assert.deepEqual(await history.store.days(KEY, BEGIN, BEGIN + 2 * DAY), days);
});

test('if samples arrive after the roll-up of their day, the history rolls up the day again for this server only', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  const samples = everyMinute(BEGIN + 20 * HOUR, BEGIN + 23 * HOUR, at => onlineAt(at, 8));
  const hours = hoursOf(KEY, samples);
  const [middle] = hours.splice(1, 1);
  assert.ok(middle);
  for (const hour of hours) history.store.sealHour(KEY, hour);
  await history.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.maintain();
  history.store.sealHour(KEY, middle);
  await history.flush();
  await history.maintain();
  assert.equal(history.counters.late, 1);
  assert.deepEqual(await history.store.days(KEY, BEGIN, BEGIN + DAY), [dayOf(samples, BEGIN)]);
  assert.equal(history.counters.rolledUp, 2);
});

test('if samples arrive late, the history updates the daily summary, but keeps the earlier figures of hours with damaged samples', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const before = openHistory(t, directory, clock);
  const hours = hoursOf(
    KEY,
    everyMinute(BEGIN, BEGIN + DAY, at => onlineAt(at, 8)),
  );
  const [late] = hours.splice(9, 1);
  assert.ok(late);
  for (const hour of hours) before.store.sealHour(KEY, hour);
  await before.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await before.maintain();
  await before.close();
  const files = join(directory, 'minutes', '2026-11-20T06');
  for (const name of readdirSync(files)) if (name.startsWith('MANIFEST')) rmSync(join(files, name));
  const history = openHistory(t, directory, clock);
  history.store.sealHour(KEY, late);
  // The first flush of the history finds the damaged directory and moves it aside. The second flush creates the
  // directory again.
  await history.flush();
  await history.flush();
  assert.equal(history.counters.damaged, 1);
  clock.at += HOUR / 2;
  await history.maintain();
  const [day] = await history.store.days(KEY, BEGIN, BEGIN + DAY);
  assert.ok(day && day.knownMs > 23.5 * HOUR, `${day?.knownMs} ms are known`);
});
