import assert from 'node:assert/strict';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkHistory } from '../../../../core/store/history/check-history.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo 203.0.113.1:27015';

test('the check of a history finds no fault in an undamaged history, and reports a damaged directory and a missing key', async t => {
  const directory = scratchDirectory();
  assert.deepEqual(checkHistory(directory), { directories: 0, faults: [] });
  const history = openHistory(t, directory, clockAt(BEGIN + 24 * HOUR));
  for (const hour of hoursOf(
    KEY,
    everyMinute(BEGIN + HOUR, BEGIN + 8 * HOUR, at => onlineAt(at, 5)),
  ))
    history.store.sealHour(KEY, hour);
  await history.close();
  assert.deepEqual(checkHistory(directory), { directories: 2, faults: [] });
  const files = join(directory, 'minutes', '2026-11-20T06');
  const manifest = readdirSync(files).find(name => name.startsWith('MANIFEST'));
  rmSync(join(files, manifest ?? 'missing'));
  rmSync(join(directory, 'history.key'));
  const { faults } = checkHistory(directory);
  assert.match(faults[0] ?? '', /^minutes\/2026-11-20T06: /);
  assert.match(faults.at(-1) ?? '', /^history.key is missing/);
});

test('checkHistory() reports a file that has the name of a history directory, and the next start of the core moves the file away', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN + 24 * HOUR);
  await openHistory(t, directory, clock).close();
  writeFileSync(join(directory, 'days'), '');
  assert.deepEqual(checkHistory(directory).faults, [
    'days is not a directory; at its next start the core moves it aside',
  ]);
  const history = openHistory(t, directory, clock);
  assert.equal(history.counters.damaged, 1);
  assert.deepEqual(readdirSync(join(directory, 'damaged')), ['days']);
  history.store.addOffline(KEY, BEGIN, 'no_reply');
  await history.flush();
  assert.equal(history.counters.written, 1);
});
