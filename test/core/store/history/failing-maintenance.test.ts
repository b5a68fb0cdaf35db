import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { History } from '../../../../core/store/history/history.ts';
import { HistoryDirectories } from '../../../../core/store/history/history-directories.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo 203.0.113.1:27015';
const LATE = 'csgo 203.0.113.2:27015';
const MINUTE = 60_000;

async function record(history: History, key: string, from: number, to: number): Promise<void> {
  const samples = everyMinute(from, to, at => onlineAt(at, 5));
  for (const hour of hoursOf(key, samples)) history.store.sealHour(key, hour);
  await history.flush();
}

/**
 * Makes writes fail from now on if the path of their directory begins with `prefix`. Returns a function that lets the
 * writes succeed again.
 */
function failWrites(t: TestContext, prefix: string): () => void {
  const { write } = HistoryDirectories.prototype;
  const mocked = t.mock.method(
    HistoryDirectories.prototype,
    'write',
    function (this: HistoryDirectories, ...[path, work]: Parameters<HistoryDirectories['write']>) {
      if (path.startsWith(prefix)) return Promise.reject(new Error('IO error: No space left on device'));
      return write.call(this, path, work);
    },
  );
  return () => mocked.mock.restore();
}

test('if the maintenance fails to summarise late samples, the next maintenance run summarises these samples before it deletes them', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const history = openHistory(t, directory, clock);
  await record(history, KEY, BEGIN, BEGIN + DAY + 5 * HOUR);
  clock.at = BEGIN + DAY + 4 * HOUR;
  await history.maintain();
  await record(history, LATE, BEGIN + 3 * HOUR, BEGIN + 10 * HOUR);
  await record(history, LATE, BEGIN + 20 * HOUR, BEGIN + 22 * HOUR);
  const restore = failWrites(t, 'quarters/');
  await history.maintain();
  restore();
  assert.equal((await history.store.quarters(LATE, BEGIN, BEGIN + DAY)).length, 0);
  await history.maintain();
  const quarters = await history.store.quarters(LATE, BEGIN, BEGIN + DAY);
  assert.equal(
    quarters.reduce((sum, { knownMs }) => sum + knownMs, 0),
    9 * HOUR + MINUTE,
  );
  clock.at = BEGIN + 3 * DAY;
  await history.maintain();
  assert.deepEqual(readdirSync(join(directory, 'minutes')), []);
});

test('the maintenance of the history finishes a deletion that a kill of the core has interrupted', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const history = openHistory(t, directory, clock);
  await record(history, KEY, BEGIN, BEGIN + HOUR);
  clock.at = BEGIN + 2 * HOUR;
  const rest = join(directory, 'deleted', 'minutes-0');
  mkdirSync(rest, { recursive: true });
  await history.maintain();
  assert.equal(existsSync(rest), false);
});

test('the history keeps samples that arrived late until it has summarised them', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const history = openHistory(t, directory, clock);
  await record(history, KEY, BEGIN, BEGIN + 20 * HOUR);
  clock.at = BEGIN + DAY + 4 * HOUR;
  await history.maintain();
  await record(history, LATE, BEGIN + 3 * HOUR, BEGIN + 4 * HOUR);
  const restore = failWrites(t, 'quarters/');
  clock.at = BEGIN + 4 * DAY;
  await history.maintain();
  assert.ok(readdirSync(join(directory, 'minutes')).includes('2026-11-20T00'));
  restore();
  await history.maintain();
  assert.equal((await history.store.quarters(LATE, BEGIN, BEGIN + DAY)).length, 5);
  assert.deepEqual(readdirSync(join(directory, 'minutes')), []);
});

test('if one directory of samples cannot be opened, the history still rolls up the samples of other days and deletes old directories', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN);
  const before = openHistory(t, directory, clock);
  await record(before, KEY, BEGIN, BEGIN + 6 * DAY);
  await before.close();
  // Replaces a file of LevelDB with a directory. LevelDB then fails to read the file, but the error does not say that
  // anything is damaged.
  const current = join(directory, 'minutes', '2026-11-21T06', 'CURRENT');
  rmSync(current);
  mkdirSync(current);
  const history = openHistory(t, directory, clock);
  clock.at = BEGIN + 6 * DAY + 5 * HOUR;
  await history.maintain();
  assert.equal(history.counters.damaged, 0);
  const days = async (): Promise<number> => (await history.store.days(KEY, BEGIN, BEGIN + 6 * DAY)).length;
  assert.equal(await days(), 5);
  assert.ok(!readdirSync(join(directory, 'minutes')).includes('2026-11-24T00'));
  for (let minute = 0; minute < 30; minute++) {
    await record(history, KEY, clock.at, clock.at + MINUTE);
    clock.at += MINUTE;
    await history.maintain();
  }
  assert.deepEqual(readdirSync(join(directory, 'damaged')), ['minutes-2026-11-21T06']);
  assert.equal(await days(), 6);
});
