import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeRecord } from '../../../../core/servers/record-codec.ts';
import { newRecord } from '../../../../core/servers/record-status.ts';
import { SERVERS } from '../../../../core/servers/server-entry.ts';
import { BucketSlots } from '../../../../core/store/memory/bucket-slots.ts';
import { RecordWriter } from '../../../../core/store/memory/record-writer.ts';
import { ServerTable } from '../../../../core/store/memory/server-table.ts';
import { MOST_BEHIND_S } from '../../../../core/store/memory/write-behind.ts';
import type { Operation } from '../../../../core/store/storage-engine.ts';
import { clockAt } from '../../clock.ts';
import { onlineRecord } from '../../record-of.ts';

const PERIOD_MS = MOST_BEHIND_S * 1_000;

/**
 * Returns the key of a server whose bucket (group of servers) is `bucket`. In this test, the first number of the IP
 * address is the bucket.
 */
const keyIn = (bucket: number, host: number): string => `csgo ${bucket}.0.0.${host}:27015`;

/**
 * Creates a server table with one server for each key in `keys`, and a record writer for this table. In the result,
 * `change` is a function that changes the record of a server, as the answer to a probe does.
 */
function opened(keys: readonly string[]) {
  const clock = clockAt();
  const table = new ServerTable();
  const buckets = new BucketSlots({
    ...{ bucketOf: key => Number(key.split(' ')[1]?.split('.')[0]), count: 256 },
    reader: { readBuckets: () => Promise.reject(new Error('nothing is loaded')) },
  });
  const written: string[] = [];
  const engine = {
    append: (operation: Operation) => written.push(operation.key.slice(SERVERS.length)) > 0,
    commit: () => Promise.reject(new Error('nothing is committed')),
  };
  const writer = new RecordWriter(engine, table, clock.now, buckets);
  const add = (key: string): number => {
    const slot = table.insert(key, encodeRecord(newRecord('csgo', key.slice(5), 'tok_1', clock.at, 60_000)));
    buckets.addSlot(slot, key);
    writer.addWritten(slot, clock.at);
    return slot;
  };
  const change = (slot: number, { isNews = false, awaitsHistory = false } = {}): void => {
    const next = onlineRecord(table.record(slot), clock.at);
    table.replace(slot, next);
    writer.writeChange(slot, next, isNews, clock.at, awaitsHistory);
  };
  const remove = (slot: number): void => {
    table.remove(slot);
    writer.forget(slot);
  };
  const taken = (): string[] => written.splice(0).sort();
  return { clock, slots: keys.map(add), add, change, remove, taken, writer };
}

test('a write of one outdated server record includes all outdated records of its bucket (group of servers)', () => {
  const [a, b, unchanged, elsewhere] = [keyIn(1, 1), keyIn(1, 2), keyIn(1, 3), keyIn(2, 1)];
  const { clock, slots, change, taken } = opened([a, b, unchanged, elsewhere]);
  const [slotA = -1, slotB = -1, , slotElsewhere = -1] = slots;
  for (const slot of [slotB, slotElsewhere, slotB]) change(slot);
  clock.at += PERIOD_MS;
  assert.deepEqual(taken(), []);
  change(slotA);
  assert.deepEqual(taken(), [a, b], 'each record once, and none of another bucket');
  change(slotA);
  change(slotB);
  assert.deepEqual(taken(), [], 'both were written just now');
});

test('an important change of a server record is written immediately, without other records of its bucket (group of servers)', () => {
  const [a, b] = [keyIn(1, 1), keyIn(1, 2)];
  const { slots, change, taken } = opened([a, b]);
  const [slotA = -1, slotB = -1] = slots;
  change(slotB);
  change(slotA, { isNews: true });
  assert.deepEqual(taken(), [a]);
});

test('a write of a bucket (group of servers) skips records whose samples the history has not stored yet', () => {
  const [a, b] = [keyIn(1, 1), keyIn(1, 2)];
  const { clock, slots, change, taken, writer } = opened([a, b]);
  const [slotA = -1, slotB = -1] = slots;
  change(slotB, { awaitsHistory: true });
  clock.at += PERIOD_MS;
  change(slotA);
  assert.deepEqual(taken(), [a]);
  writer.writeHeld(writer.holds);
  change(slotB);
  assert.deepEqual(taken(), [b]);
});

test('a server that reuses the table index of a removed server is written with its own bucket (group of servers), not with the old bucket', () => {
  const [a, b, other] = [keyIn(1, 1), keyIn(1, 2), keyIn(2, 1)];
  const { clock, slots, add, change, remove, taken } = opened([a, b]);
  const [slotA = -1, slotB = -1] = slots;
  change(slotB);
  remove(slotB);
  const slotOther = add(other);
  assert.equal(slotOther, slotB);
  change(slotOther);
  clock.at += PERIOD_MS;
  change(slotA);
  assert.deepEqual(taken(), [a]);
  change(slotOther);
  assert.deepEqual(taken(), [other]);
});

test('a write of one outdated server record includes at most 500 other outdated records', () => {
  const keys = Array.from({ length: 1_200 }, (_, i) => `csgo 1.0.0.1:${i + 1}`);
  const { clock, slots, change, taken } = opened(keys);
  for (const slot of slots) change(slot);
  clock.at += PERIOD_MS;
  const [first = -1] = slots;
  change(first);
  const batch = taken();
  assert.equal(batch.length, 501);
  for (const slot of slots.filter((_, i) => !batch.includes(keys[i] ?? ''))) change(slot);
  assert.equal(new Set([...batch, ...taken()]).size, 1_200);
});

test('if the store refuses a write of many changed records, these records still count as not written', async () => {
  const [a, b] = [keyIn(1, 1), keyIn(1, 2)];
  const { slots, writer } = opened([a, b]);
  for (const slot of slots) writer.markDirty(slot);
  await assert.rejects(writer.writeDirty(), /nothing is committed/);
  await assert.rejects(
    writer.writeDirty(),
    /nothing is committed/,
    'the second call still has something to write',
  );
});
