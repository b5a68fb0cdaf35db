import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hourPhaseOfKey } from '../../../../core/history/hour-phase.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { historyContract } from '../history-store.contract.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo 203.0.113.1:27015';

historyContract('LevelDB', BEGIN, async (t, clock, _servers, options) => {
  const directory = scratchDirectory();
  const history = openHistory(t, directory, clock, options);
  return {
    history,
    async reopen() {
      await history.close();
      return openHistory(t, directory, clock, options);
    },
  };
});

test('the history does not write the samples of an hour again if it already has these samples', async t => {
  const history = openHistory(t, scratchDirectory(), clockAt(BEGIN + 2 * HOUR));
  const from = BEGIN + hourPhaseOfKey(KEY);
  const [hour] = hoursOf(
    KEY,
    everyMinute(from, from + HOUR, at => onlineAt(at, 5)),
  );
  assert.ok(hour);
  history.store.sealHour(KEY, hour);
  await history.flush();
  const { written } = history.counters;
  history.store.sealHour(KEY, hour);
  await history.flush();
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [hour]);
  assert.equal(history.counters.written, written + 1);
});

test('the history deletes the directories that contain samples when the retention time of the samples is over', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const history = openHistory(t, directory, clock);
  for (const hour of hoursOf(
    KEY,
    everyMinute(BEGIN, BEGIN + DAY, at => onlineAt(at, 1)),
  ))
    history.store.sealHour(KEY, hour);
  await history.flush();
  assert.ok(readdirSync(join(directory, 'minutes')).length >= 4);
  for (clock.at = BEGIN; clock.at <= BEGIN + 2 * DAY + 3 * HOUR; clock.at += HOUR) await history.maintain();
  assert.deepEqual(readdirSync(join(directory, 'minutes')), []);
});
