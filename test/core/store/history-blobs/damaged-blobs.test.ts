import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { bucketOfServer } from '../../../../core/cluster/buckets.ts';
import { hourPhaseOfKey } from '../../../../core/history/hour-phase.ts';
import { periodOf } from '../../../../core/store/history/periods.ts';
import { blobLines } from '../../../../core/store/history-blobs/blob-lines.ts';
import { BlobReader } from '../../../../core/store/history-blobs/blob-reader.ts';
import { asideName } from '../../../../core/store/history-blobs/blob-store.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt } from '../history/opened-history.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { openEngineHistory } from './opened-engine-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo 203.0.113.1:27015';
const OTHER = 'csgo 203.0.113.2:27015';
const NAME = periodOf('minutes', BEGIN).path;

/** Returns one day of samples of a server that always has `players` players. The samples are divided into hours. */
function dayOf(key: string, players: number) {
  const from = BEGIN + hourPhaseOfKey(key);
  return hoursOf(
    key,
    everyMinute(from, from + DAY, at => onlineAt(at, players)),
  );
}

/** Opens a history in blobs (stored byte strings) with two servers, in different buckets (groups of servers). */
function opened(t: TestContext) {
  assert.notEqual(bucketOfServer(KEY), bucketOfServer(OTHER));
  const clock = clockAt(BEGIN + 3 * HOUR);
  const blobs = new MemoryBlobs(clock.now);
  const history = openEngineHistory(t, blobs.of(0), clock, () => [KEY, OTHER]);
  const placeOf = (name: string): string => `${bucketOfServer(KEY)} ${name}`;
  const blobAt = (name: string) => blobs.blobs.get(placeOf(name));
  /**
   * Damages the blob (stored byte string) that contains the first samples of the server KEY: calls `change` with the
   * bytes, and stores the result. Returns the new bytes.
   */
  const damage = (change: (bytes: Buffer) => Buffer): Buffer => {
    const blob = blobAt(NAME);
    assert.ok(blob);
    blob.bytes = change(blob.bytes);
    return blob.bytes;
  };
  return { clock, blobs, history, blobAt, damage };
}

/** Damages the first byte of a blob. This byte says which format the blob has. */
function withoutFormat(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(255), bytes.subarray(1)]);
}

test('if the stored samples are damaged, the core renames the damaged blob and still stores new samples', async t => {
  const { history, blobAt, damage } = opened(t);
  const [first, second] = dayOf(KEY, 5);
  const [other] = dayOf(OTHER, 6);
  assert.ok(first && second && other);
  history.store.sealHour(KEY, first);
  await history.flush();
  const expiresAt = blobAt(NAME)?.expiresAt;
  for (const change of [withoutFormat, () => Buffer.from('no blob')]) {
    const damaged = damage(change);
    history.store.sealHour(KEY, second);
    history.store.sealHour(OTHER, other);
    await history.flush();
    assert.deepEqual(blobAt(asideName(NAME)), { bytes: damaged, expiresAt });
    assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [second]);
    assert.deepEqual(await history.store.hours(OTHER, BEGIN, BEGIN + DAY), [other]);
  }
  assert.deepEqual([history.counters.damaged, history.counters.failures], [2, 0]);
});

test('if the end of a history blob (stored byte string) is damaged, a read returns the samples before the damage', async t => {
  const { clock, blobs, history, blobAt, damage } = opened(t);
  const [first, second] = dayOf(KEY, 5);
  assert.ok(first && second);
  history.store.sealHour(KEY, first);
  await history.flush();
  const readable = blobAt(NAME)?.bytes.length ?? 0;
  history.store.sealHour(KEY, second);
  await history.flush();
  const damaged = damage(bytes => bytes.subarray(0, readable + 8));
  const reader = openEngineHistory(t, blobs.of(1), clock, () => []);
  assert.deepEqual(await reader.store.hours(KEY, BEGIN, BEGIN + DAY), [first]);
  assert.deepEqual([reader.counters.damaged, blobAt(NAME)?.bytes], [0, damaged]);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [first]);
  assert.deepEqual([history.counters.damaged, blobAt(NAME)], [1, undefined]);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), []);
});

test('if stored samples of a day are damaged, a new summary of the day keeps the earlier figures for these samples', async t => {
  const { clock, history, damage } = opened(t);
  const hours = dayOf(KEY, 5);
  for (const hour of hours) history.store.sealHour(KEY, hour);
  await history.flush();
  clock.at = BEGIN + DAY + 6 * HOUR;
  await history.maintain();
  const quarters = await history.store.quarters(KEY, BEGIN, BEGIN + DAY);
  assert.ok(quarters.length > 90);
  damage(withoutFormat);
  // Stores new samples of the 21st hour of the day, so that the core rolls up (summarises) the day again.
  const late = dayOf(KEY, 9)[20];
  assert.ok(late);
  history.store.sealHour(KEY, late);
  await history.flush();
  await history.maintain();
  assert.equal(history.counters.damaged, 1);
  const again = await history.store.quarters(KEY, BEGIN, BEGIN + DAY);
  const isEarly = ({ from }: { from: number }): boolean => from < late.hour;
  assert.deepEqual(again.filter(isEarly), quarters.filter(isEarly));
  assert.equal(Math.max(...again.map(({ playersMax }) => playersMax ?? 0)), 9);
});

test('a core that acquires servers with damaged samples still summarises the intact samples of the day', async t => {
  const { clock, blobs, history, damage } = opened(t);
  for (const hour of dayOf(KEY, 5)) history.store.sealHour(KEY, hour);
  await history.flush();
  damage(withoutFormat);
  clock.at = BEGIN + DAY + 6 * HOUR;
  const next = openEngineHistory(t, blobs.of(0), clock, () => [KEY]);
  await next.maintain();
  assert.equal(next.counters.damaged, 1);
  const days = await next.store.days(KEY, BEGIN, BEGIN + DAY);
  assert.deepEqual(
    days.map(({ from, playersMax }) => [from, playersMax]),
    [[BEGIN, 5]],
  );
});

test('if a stored history blob is damaged, the error of the backup names the key of the blob', async t => {
  const { blobs, history, damage } = opened(t);
  const [first] = dayOf(KEY, 5);
  assert.ok(first);
  history.store.sealHour(KEY, first);
  await history.flush();
  damage(withoutFormat);
  const lines = blobLines(new BlobReader(blobs.of(0)), async () => [KEY], [NAME]);
  await assert.rejects(
    async () => {
      for await (const _ of lines);
    },
    new RegExp(`its format is unknown; delete or rename the key gsq-history:\\{\\w+\\}:${NAME}$`),
  );
});
