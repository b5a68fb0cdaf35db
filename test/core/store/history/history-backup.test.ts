import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  checkHistoryLine,
  OfflineHistory,
  RestoredHistory,
} from '../../../../core/store/history/history-backup.ts';
import type { BackupHistory } from '../../../../proto/codec/backup-lines.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo server-0';
const SERVERS = Array.from({ length: 600 }, (_, i) => `csgo server-${i}`);

test('the history can be restored from a backup that was made with or without a running core', async t => {
  const directory = join(scratchDirectory(), 'history');
  const clock = clockAt(BEGIN + DAY);
  const history = openHistory(t, directory, clock);
  const samples = everyMinute(BEGIN + 2 * HOUR, BEGIN + 4 * HOUR, at => onlineAt(at, 5));
  for (const key of SERVERS) for (const hour of hoursOf(key, samples)) history.store.sealHour(key, hour);
  history.store.addOffline('csgo server-1', BEGIN + HOUR, 'no_reply');
  await history.flush();
  clock.at = BEGIN + DAY + 3 * HOUR;
  await history.maintain();
  const lines: BackupHistory[] = [];
  for await (const line of history.backupLines()) lines.push(line);
  await history.close();
  const copied = new OfflineHistory(directory, join(scratchDirectory(), 'copy'), fault => assert.fail(fault));
  const offline: BackupHistory[] = [];
  for await (const line of copied.lines()) offline.push(line);
  await copied.close();
  assert.deepEqual(offline, lines);

  const target = join(scratchDirectory(), 'history');
  const restored = new RestoredHistory(target);
  for (const line of lines) await restored.add(line);
  for (const line of lines) assert.ok(await restored.equals(line));
  await restored.close();
  const again = openHistory(t, target, clock);
  for (const key of ['csgo server-0', 'csgo server-599']) {
    assert.deepEqual(await again.store.hours(key, BEGIN, BEGIN + DAY), hoursOf(key, samples));
    assert.equal((await again.store.quarters(key, BEGIN, BEGIN + DAY)).length, 9);
    assert.equal((await again.store.days(key, BEGIN, BEGIN + DAY)).length, 1);
  }
  assert.equal((await again.store.incidents('csgo server-1', BEGIN + DAY, 9)).length, 1);
});

test('a restore refuses a history line of a backup that has a wrong path or incomplete entries', () => {
  for (const path of ['../minutes/2026-11-20T00', 'minutes/2026-11-20T01', 'minutes/..', 'damaged/x'])
    assert.throws(() => checkHistoryLine({ path, entries: '' }), /is not a directory of the history/);
  const entries = Buffer.of(3, 9, 0, 0, 0, 1).toString('base64');
  assert.throws(() => checkHistoryLine({ path: 'days/2026-11', entries }), /incomplete/);
});

test('a restore refuses a backup in which history.key (the secret key of the history) has a wrong length', () => {
  const entries = Buffer.alloc(3).toString('base64');
  assert.throws(() => checkHistoryLine({ path: 'history.key', entries }), /has 3 bytes instead of 32/);
});

test('if the file history.key is missing or has a wrong length, a backup reports this and contains no history', async () => {
  for (const content of [undefined, 'abc']) {
    const directory = join(scratchDirectory(), 'history');
    mkdirSync(join(directory, 'days', '2026-11'), { recursive: true });
    if (content) writeFileSync(join(directory, 'history.key'), content, { mode: 0o600 });
    const faults: string[] = [];
    const copied = new OfflineHistory(directory, join(scratchDirectory(), 'copy'), fault =>
      faults.push(fault),
    );
    for await (const line of copied.lines()) assert.fail(line.path);
    await copied.close();
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', content ? /history.key has 3 bytes/ : /history.key is missing/);
  }
});

test('if one directory of the history cannot be read, a backup from a running core contains all other directories', async t => {
  const directory = join(scratchDirectory(), 'history');
  const clock = clockAt(BEGIN + DAY);
  const written = openHistory(t, directory, clock);
  for (const hour of hoursOf(KEY, [onlineAt(BEGIN + HOUR, 1), onlineAt(BEGIN + 13 * HOUR, 1)]))
    written.store.sealHour(KEY, hour);
  await written.close();
  const current = join(directory, 'minutes', '2026-11-20T00', 'CURRENT');
  rmSync(current);
  mkdirSync(current);
  const history = openHistory(t, directory, clock);
  const paths: string[] = [];
  for await (const { path } of history.backupLines()) paths.push(path);
  assert.deepEqual(paths, ['history.key', 'minutes/2026-11-20T12']);
});
