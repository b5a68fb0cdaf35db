import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { DAY, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

/** Number of days with samples in this test. They are the last days of November. */
const DAYS = 10;
const END = Date.UTC(2026, 11);
const BEGIN = END - DAYS * DAY;
const KEYS = Array.from({ length: 40 }, (_, i) => `csgo 203.0.113.${i}:27015`);

/** Returns the names and sizes of the table files in a LevelDB directory. */
function filesOf(directory: string): Map<string, number> {
  const names = readdirSync(directory).filter(name => /\.(ldb|log)$/.test(name));
  return new Map(names.map(name => [name, statSync(join(directory, name)).size]));
}

function bytesOf(directory: string): number {
  return [...filesOf(directory).values()].reduce((sum, size) => sum + size, 0);
}

test('the history of a finished month is compacted once, when the last day of the month is rolled up', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const month = join(directory, 'days', '2026-11');
  let history = openHistory(t, directory, clock);
  const maintain = async (at: number): Promise<void> => {
    clock.at = at;
    await history.flush();
    await history.maintain();
  };
  for (let day = 0; day < DAYS; day++) {
    await maintain(BEGIN + day * DAY + 3 * HOUR);
    // Closes the history and opens it again. LevelDB then moves the entries of its log into tables, so that the next
    // compaction includes them.
    if (day % 3 === 2) {
      await history.close();
      history = openHistory(t, directory, clock);
    }
    for (const [i, key] of KEYS.entries())
      for (const hour of hoursOf(key, [onlineAt(BEGIN + day * DAY + 12 * HOUR, i)]))
        history.store.sealHour(key, hour);
  }
  await maintain(END + 3 * HOUR - 1);
  const before = bytesOf(month);
  await maintain(END + 3 * HOUR);
  const after = bytesOf(month);
  t.diagnostic(`bytes of a month of ${KEYS.length} servers: ${before} before, ${after} after`);
  assert.ok(after < before / 2);
  for (const key of KEYS) assert.equal((await history.store.days(key, BEGIN, END)).length, DAYS);
  const files = filesOf(month);
  await maintain(END + 4 * HOUR);
  assert.deepEqual(filesOf(month), files);
});
