import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hourPhaseOfKey } from '../../../../core/history/hour-phase.ts';
import { clockAt } from '../../clock.ts';
import { DAY, everyMinute, HOUR, hoursOf, onlineAt } from '../history/opened-history.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { openEngineHistory } from './opened-engine-history.ts';

const BEGIN = Date.UTC(2026, 10, 20);
const KEY = 'csgo 203.0.113.1:27015';

/**
 * Opens a history of the server KEY. After each flush, the history calls `writeHeld`. In a core, this function writes
 * the server records that waited for the flush. `written`: the argument of each `writeHeld` call. `hours`: encoded
 * samples of two hours.
 */
function opened(t: TestContext) {
  const clock = clockAt(BEGIN + 2 * HOUR);
  const blobs = new MemoryBlobs(clock.now);
  const history = openEngineHistory(t, blobs.of(0), clock, () => [KEY]);
  const written: number[] = [];
  const records = {
    holds: 0,
    buckets: undefined,
    writeHeld: (holds: number) => void written.push(holds),
    async sealOpenHours() {},
  };
  history.connectRecords(records);
  const from = BEGIN + hourPhaseOfKey(KEY);
  const hours = hoursOf(
    KEY,
    everyMinute(from, from + 2 * HOUR, at => onlineAt(at, 5)),
  );
  return { blobs, history, records, written, hours };
}

test('if the reply to a write of samples is lost, the next flush stores no duplicates, and then writes the server record', async t => {
  const { blobs, history, records, written, hours } = opened(t);
  const [hour] = hours;
  assert.ok(hour);
  records.holds = 1;
  history.store.sealHour(KEY, hour);
  blobs.failure = new Error('the connection is lost');
  blobs.storesFailed = true;
  await assert.rejects(history.flush(), { name: 'NoWrites', code: 'CORE_1' });
  assert.deepEqual([written, history.counters.failures], [[], 1]);
  const sizes = () => [...blobs.blobs.values()].map(({ bytes }) => bytes.length);
  const before = sizes();
  blobs.failure = undefined;
  await history.flush();
  assert.deepEqual(written, [1]);
  assert.deepEqual(sizes(), before);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), [hour]);
});

test('if samples of a server are added during a flush of the history, the server record is written only after the next flush', async t => {
  const { history, records, written, hours } = opened(t);
  const [first, second] = hours;
  assert.ok(first && second);
  records.holds = 1;
  history.store.sealHour(KEY, first);
  const flushing = history.flush();
  records.holds = 2;
  history.store.sealHour(KEY, second);
  await flushing;
  assert.deepEqual(written, [1]);
  await history.flush();
  assert.deepEqual(written, [1, 2]);
  assert.deepEqual(await history.store.hours(KEY, BEGIN, BEGIN + DAY), hours);
});
