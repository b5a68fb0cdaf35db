import assert from 'node:assert/strict';
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HistoryDirectories } from '../../../../core/store/history/history-directories.ts';
import { type PendingWrite, PendingWrites } from '../../../../core/store/history/pending-writes.ts';
import { scratchDirectory } from '../../../system/scratch-directory.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt, openHistory } from './opened-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo 203.0.113.1:27015';
const [HOUR_OF_SAMPLES] = hoursOf(
  KEY,
  everyMinute(BEGIN + HOUR, BEGIN + 2 * HOUR, at => onlineAt(at, 5)),
);

test('the history moves a damaged directory aside, and continues to use all other directories', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN + DAY);
  const written = openHistory(t, directory, clock);
  const hours = hoursOf(
    KEY,
    everyMinute(BEGIN + HOUR, BEGIN + 8 * HOUR, at => onlineAt(at, 5)),
  );
  for (const hour of hours) written.store.sealHour(KEY, hour);
  await written.close();
  const damaged = join(directory, 'minutes', '2026-11-20T00');
  for (const name of readdirSync(damaged).filter(name => name.startsWith('MANIFEST')))
    rmSync(join(damaged, name));
  const history = openHistory(t, directory, clock);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), hours.slice(6));
  assert.deepEqual(readdirSync(join(directory, 'damaged')), ['minutes-2026-11-20T00']);
  assert.equal(history.counters.damaged, 1);
  assert.ok(hours[0]);
  history.store.sealHour(KEY, hours[0]);
  await history.flush();
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + HOUR), [hours[0]]);
});

test('the history keeps a failed write in its queue, and writes it when the disk works again', async t => {
  const directory = scratchDirectory();
  const history = openHistory(t, directory, clockAt(BEGIN + DAY));
  // Creates a file with the name of the LevelDB directory, so that every write of the history fails.
  writeFileSync(join(directory, 'minutes'), '');
  assert.ok(HOUR_OF_SAMPLES);
  history.store.sealHour(KEY, HOUR_OF_SAMPLES);
  await history.flush();
  await history.flush();
  assert.equal(history.counters.failures, 2);
  assert.equal(history.counters.queued, 1);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [HOUR_OF_SAMPLES]);
  rmSync(join(directory, 'minutes'));
  await history.flush();
  assert.equal(history.counters.queued, 0);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [HOUR_OF_SAMPLES]);
});

test('the history opens a LevelDB directory again after a failed write', async t => {
  const root = scratchDirectory();
  const directories = new HistoryDirectories(root, () => assert.fail('nothing is damaged'));
  t.after(() => directories.close());
  const key = Buffer.from('key');
  const put = (value: string) =>
    directories.write('days/2026-11', db =>
      db.writeDurably([{ type: 'put', key, value: Buffer.from(value) }]),
    );
  await put('first');
  await assert.rejects(
    directories.write('days/2026-11', () => Promise.reject(new Error('IO error: No space left on device'))),
    /No space left/,
  );
  await put('second');
  const values = await directories.read('days/2026-11', db => db.getMany([key]));
  assert.equal(values?.[0]?.toString(), 'second');
});

test('the history discards and counts the oldest writes if its queue is full', () => {
  const pending = new PendingWrites(2);
  const key = (n: number): Buffer => Buffer.of(n);
  assert.ok(pending.add({ path: 'days/2026-11', key: key(1), content: key(1) }));
  assert.ok(pending.add({ path: 'days/2026-11', key: key(2), content: key(2) }));
  assert.ok(pending.add({ path: 'days/2026-11', key: key(2), content: key(3) }));
  assert.equal(pending.add({ path: 'days/2026-11', key: key(4), content: key(4) }), false);
  assert.equal(pending.dropped, 1);
  assert.equal(pending.get('days/2026-11', key(1)), undefined);
  assert.deepEqual(pending.get('days/2026-11', key(2)), key(3));
});

test('the write queue of the history finds queued writes by key prefix, even after other writes were completed or dropped', () => {
  const pending = new PendingWrites(3);
  const path = 'days/2026-11';
  const prefix = (n: number): Buffer => Buffer.alloc(9, n);
  const add = (n: number, last: number): PendingWrite => {
    const write = { path, key: Buffer.concat([prefix(n), Buffer.of(last)]), content: Buffer.of(last) };
    pending.add(write);
    return write;
  };
  pending.add({ path, key: prefix(1), content: prefix(1) });
  const [first, second] = [add(1, 1), add(1, 2)];
  assert.deepEqual(pending.ofPrefix(path, prefix(1)), [first, second]);
  assert.deepEqual(pending.ofPrefix('days/2026-10', prefix(1)), []);
  pending.finish([first]);
  const third = add(2, 3);
  assert.deepEqual(pending.ofPrefix(path, prefix(1)), [second]);
  assert.deepEqual(pending.ofPrefix(path, prefix(2)), [third]);
  add(3, 4);
  add(3, 5);
  assert.deepEqual(pending.ofPrefix(path, prefix(1)), []);
  assert.deepEqual(pending.ofPrefix(path, prefix(2)), [third]);
});

test('if the secret key of the history is missing, the history moves the unreadable data aside and starts empty', async t => {
  const directory = scratchDirectory();
  const clock = clockAt(BEGIN + DAY);
  const written = openHistory(t, directory, clock);
  assert.ok(HOUR_OF_SAMPLES);
  written.store.sealHour(KEY, HOUR_OF_SAMPLES);
  await written.close();
  assert.equal(statSync(join(directory, 'history.key')).mode & 0o777, 0o600);
  rmSync(join(directory, 'history.key'));
  const history = openHistory(t, directory, clock);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), []);
  assert.match(readdirSync(join(directory, 'damaged')).join(), /^minutes-without-key-/);
});
