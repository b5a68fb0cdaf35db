import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { History } from '../../../../core/store/history/history.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const END = BEGIN + 2 * DAY + 5 * HOUR;
const KEY = 'csgo 203.0.113.1:27015';
const YEARS = 730 * DAY;
const MINUTE = 60_000;

/** Stores one sample of an online server for each minute from `from` to `to`. */
async function record(history: History, from: number, to: number): Promise<void> {
  const samples = everyMinute(from, to, at => onlineAt(at, 5));
  for (const hour of hoursOf(KEY, samples)) history.store.sealHour(KEY, hour);
  await history.flush();
}

async function quarters(history: History): Promise<number> {
  return (await history.store.quarters(KEY, BEGIN, BEGIN + DAY)).length;
}

test('a core that starts while the clock is years ahead deletes no history, and summarises finished days when the clock is right again', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(END);
  const monotonic = clockAt(0);
  const before = openHistory(t, directory, clock, { monotonic: monotonic.now });
  monotonic.at += HOUR;
  await record(before, BEGIN, END);
  await before.maintain();
  assert.equal(await quarters(before), 96);
  await before.close();
  clock.at = END + YEARS;
  const history = openHistory(t, directory, clock, { monotonic: monotonic.now });
  for (let minute = 0; minute < 60; minute++) {
    await history.maintain();
    clock.at += MINUTE;
    monotonic.at += MINUTE;
  }
  assert.equal(await quarters(history), 96);
  clock.at -= YEARS;
  await record(history, END, END + 3 * DAY);
  clock.at += 3 * DAY;
  monotonic.at += 3 * DAY;
  await history.maintain();
  assert.equal((await history.store.days(KEY, BEGIN, BEGIN + 30 * DAY)).length, 5);
  // The history must have deleted all samples from before 2026-11-24. Summaries are not checked, because some were
  // stored while the clock was years ahead.
  const minutes = readdirSync(join(directory, 'minutes'));
  assert.deepEqual(minutes.slice(0, 1), ['2026-11-24T00']);
});

test('the core deletes no history during the first day after its clock was set ahead', async t => {
  const clock = clockAt(END);
  const monotonic = clockAt(0);
  const history = openHistory(t, scratchDirectory(), clock, { monotonic: monotonic.now });
  monotonic.at += HOUR;
  await record(history, BEGIN, END);
  await history.maintain();
  clock.at += YEARS;
  await history.maintain();
  clock.at += DAY - MINUTE;
  monotonic.at += DAY - MINUTE;
  await history.maintain();
  assert.equal(await quarters(history), 96);
  clock.at += MINUTE;
  monotonic.at += MINUTE;
  await history.maintain();
  assert.equal(await quarters(history), 0);
});
