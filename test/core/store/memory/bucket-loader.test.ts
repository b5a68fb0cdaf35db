import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOfServer } from '../../../../core/cluster/buckets.ts';
import type { Operation } from '../../../../core/store/storage-engine.ts';
import { StoreDamage } from '../../../../core/store/store-damage.ts';
import { bucketsOf } from './shared-stores.ts';
import { BUCKETS, doNothing, KEY, KEYS, opened } from './two-cores.ts';

const isPut = ({ type }: Operation): boolean => type === 'put';

test('compare() (repairs a store after a failed write) deletes no stored server while the core loads or unloads this server', async () => {
  const { shared, a, b } = await opened();
  const stored = new Map(shared.durable);
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  let compared = 0;
  const compare = async (core: typeof a): Promise<void> => {
    const operations = await core.store.compare();
    assert.equal(operations.every(isPut), true);
    compared++;
  };
  await bucketsOf(a.store).giveBuckets(BUCKETS, () => compare(a));
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
  await bucketsOf(b.store).takeBuckets(BUCKETS, () => compare(b));
  assert.ok(compared >= 3);
  assert.deepEqual(new Map(shared.durable), stored);
  assert.deepEqual(await b.store.compare(), []);
});

test('compare() (repairs the store) deletes servers that are not in memory, but only from loaded buckets (groups of servers)', async () => {
  const { shared, a, b } = await opened();
  const [first, ...others] = BUCKETS;
  assert.ok(first !== undefined);
  await bucketsOf(a.store).stopBuckets(others);
  await bucketsOf(a.store).giveBuckets(others, doNothing);
  const key = KEYS.find(one => bucketOfServer(one) === first) ?? '';
  const surplus = `s/rust ${key.slice(key.indexOf(' ') + 1)}`;
  shared.durable.set(surplus, Buffer.from(shared.durable.get(`s/${key}`) ?? ''));
  assert.deepEqual(await a.store.compare(), [{ type: 'del', key: surplus }]);
  assert.deepEqual(await b.store.compare(), []);
});

test('takeBuckets (loads servers) and giveBuckets (unloads servers) pass each server once to their callback, with its record', async () => {
  const { shared, a, b } = await opened();
  const unloaded: string[] = [];
  const loaded: string[] = [];
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, servers => {
    for (const { key, status } of servers) unloaded.push(`${key} ${status}`);
    return undefined;
  });
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
  await bucketsOf(b.store).takeBuckets(BUCKETS, servers => {
    for (const { key, status } of servers) loaded.push(`${key} ${status}`);
    return undefined;
  });
  const expected = KEYS.map(key => `${key} pending`).sort();
  assert.deepEqual(unloaded.sort(), expected);
  assert.deepEqual(loaded.sort(), expected);
  assert.deepEqual(a.removed, []);
});

test('takeBuckets (loads servers) rejects with StoreDamage if a stored record is damaged', async () => {
  const { shared, a, b } = await opened();
  await bucketsOf(a.store).stopBuckets(BUCKETS);
  await bucketsOf(a.store).giveBuckets(BUCKETS, doNothing);
  const value = shared.durable.get(`s/${KEY}`);
  assert.ok(value);
  value[value.length - 1] = (value.at(-1) ?? 0) ^ 1;
  for (const bucket of BUCKETS) shared.owners.set(bucket, 'b');
  await assert.rejects(bucketsOf(b.store).takeBuckets(BUCKETS, doNothing), StoreDamage);
});
