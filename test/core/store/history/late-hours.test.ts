import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rollUp, sumFigures } from '../../../../core/history/rollup.ts';
import type { Sample } from '../../../../core/history/sample.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
/**
 * Key of the test server. The history stores samples in blocks of one hour. For this server, a block begins 52 minutes
 * and 15 seconds after each full hour, for example at 13:52:15.
 */
const KEY = 'csgo 203.0.113.1:27015';
const MINUTE = 60_000;

/** Returns the figures (uptime and players) of the day that begins at `day`, computed from these samples. */
function dayOf(samples: readonly Sample[], day: number) {
  return sumFigures(rollUp(samples, day, HOUR / 4, 96), day, day + DAY);
}

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

test('the history rolls up days that passed while the core was stopped, before it deletes their samples', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN + DAY);
  const before = openHistory(t, directory, clock);
  const samples = everyMinute(BEGIN + 10 * HOUR, BEGIN + DAY + 6 * HOUR, at => onlineAt(at, 3));
  const hours = hoursOf(KEY, samples);
  const open = hours.pop();
  assert.ok(open);
  for (const hour of hours) before.store.sealHour(KEY, hour);
  await before.close();
  clock.at = BEGIN + 6 * DAY;
  const after = openHistory(t, directory, clock);
  await after.maintain();
  assert.deepEqual(await after.store.days(KEY, BEGIN, BEGIN + 2 * DAY), []);
  assert.equal((await after.store.hours(KEY, BEGIN, BEGIN + 2 * DAY)).length, hours.length);
  after.store.sealHour(KEY, open);
  clock.at += HOUR / 2;
  await after.maintain();
  assert.equal(after.counters.rolledUp, 2);
  // The core does not trust the clock, because the newest stored sample was more than a day old when the core started.
  // Therefore the core deletes no samples for a day.
  assert.equal((await after.store.hours(KEY, BEGIN, BEGIN + 2 * DAY)).length, hours.length + 1);
  clock.at += DAY;
  await after.maintain();
  assert.deepEqual(await after.store.days(KEY, BEGIN, BEGIN + 2 * DAY), [
    dayOf(samples, BEGIN),
    dayOf(samples, BEGIN + DAY),
  ]);
  assert.deepEqual(await after.store.hours(KEY, BEGIN, BEGIN + 2 * DAY), []);
});

test('the history summarises the day for each of 700 servers, although it reads their samples in several pages', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  const count = 700;
  const samplesOf = (server: number): Sample[] =>
    [1, 2, 13].filter(hour => (server + hour) % 3 > 0).map(hour => onlineAt(BEGIN + hour * HOUR, server));
  for (let server = 0; server < count; server++)
    for (const hour of hoursOf(`csgo ${server}`, samplesOf(server)))
      history.store.sealHour(`csgo ${server}`, hour);
  await history.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.maintain();
  assert.equal(history.counters.rolledUp, count);
  for (let server = 0; server < count; server++) {
    const days = await history.store.days(`csgo ${server}`, BEGIN, BEGIN + DAY);
    assert.deepEqual(days, [dayOf(samplesOf(server), BEGIN)]);
  }
});

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

test('the daily summary includes samples that are still in the server records and not yet in the history', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  const samples = everyMinute(BEGIN + 20 * HOUR, BEGIN + 23 * HOUR, at => onlineAt(at, 8));
  const hours = hoursOf(KEY, samples);
  const open = hours.pop();
  assert.ok(open);
  for (const hour of hours) history.store.sealHour(KEY, hour);
  history.connectRecords({
    holds: 0,
    buckets: undefined,
    writeHeld() {},
    async sealOpenHours(before, seal) {
      assert.equal(before, BEGIN + DAY);
      await seal(KEY, open);
    },
  });
  await history.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.maintain();
  assert.deepEqual(await history.store.days(KEY, BEGIN, BEGIN + DAY), [dayOf(samples, BEGIN)]);
  history.store.sealHour(KEY, open);
  await history.flush();
  assert.equal(history.counters.written, hours.length + 2);
  await history.maintain();
  assert.equal(history.counters.rolledUp, 1);
});

test('the daily summary includes samples in server records even if the history has no directory for this day yet', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  const samples = everyMinute(BEGIN + 22 * HOUR, BEGIN + DAY + HOUR, at => onlineAt(at, 8));
  const hours = hoursOf(KEY, samples);
  const open = hours.pop();
  assert.ok(open && open.hour >= BEGIN + DAY);
  for (const hour of hours) history.store.sealHour(KEY, hour);
  history.connectRecords({
    holds: 0,
    buckets: undefined,
    writeHeld() {},
    async sealOpenHours(before, seal) {
      if (open.hour < before) await seal(KEY, open);
    },
  });
  await history.flush();
  clock.at = BEGIN + 2 * DAY + 3 * HOUR;
  await history.maintain();
  assert.deepEqual(await history.store.days(KEY, BEGIN, BEGIN + 2 * DAY), [
    dayOf(samples, BEGIN),
    dayOf(samples, BEGIN + DAY),
  ]);
});

test('while the history copies the newest samples of 45,000 servers, its write queue never contains more than 20,000 writes', async t => {
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, scratchDirectory(), clock);
  const samples = everyMinute(BEGIN + 20 * HOUR, BEGIN + 21 * HOUR, at => onlineAt(at, 8));
  const [sealed, open] = hoursOf(KEY, samples);
  assert.ok(sealed && open);
  history.store.sealHour(KEY, sealed);
  await history.flush();
  let mostQueued = 0;
  history.connectRecords({
    holds: 0,
    buckets: undefined,
    writeHeld() {},
    async sealOpenHours(_, seal) {
      for (let server = 0; server < 45_000; server++) {
        await seal(`csgo ${server}`, open);
        mostQueued = Math.max(mostQueued, history.counters.queued);
      }
    },
  });
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.flush();
  const maintained = history.maintain();
  await history.close();
  await maintained;
  assert.ok(mostQueued > 1_000 && mostQueued <= 20_000, `${mostQueued} copies`);
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
