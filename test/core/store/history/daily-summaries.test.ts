import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample } from '../../../../core/history/sample.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { dayOf } from './day-summary.ts';
import { BEGIN, DAY, everyMinute, HOUR, hoursOf, KEY, onlineAt, openHistory } from './opened-history.ts';

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
