import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf, SERVER_BUCKETS, splitEntryKey } from '../../../../core/cluster/buckets.ts';
import { entryKeyOf, fenceKey, hashKey, kindOfHash } from '../../../../core/store/redis/buckets.ts';
import { slotOfBucket, slotOfTag } from '../../../../core/store/redis/hash-slots.ts';

const sameBucket = (...keys: string[]): boolean => new Set(keys.map(bucketOf)).size === 1;

test('all stored entries about the servers of one host are in the same bucket (a share of the data)', () => {
  assert.ok(
    sameBucket('s/csgo 1.2.3.4:27015', 's/minecraft 1.2.3.4:25565', 'c/csgo 1.2.3.4:1', 'n/rust 1.2.3.4:9'),
  );
  assert.ok(sameBucket('s/csgo play.example.org:27015', 's/csgo play.example.org:27016'));
  assert.ok(sameBucket('s/csgo [2001:db8::1]:27015', 's/csgo [2001:db8::1]:27016'));
  assert.ok(!sameBucket('s/csgo [2001:db8::1]:27015', 's/csgo [2001:db8::2]:27015'));
  assert.ok(!sameBucket('s/csgo 1.2.3.4:27015', 's/csgo 1.2.3.5:27015'));
});

test('all stored entries of one token, or of one webhook, are in the same bucket (a share of the data)', () => {
  assert.ok(sameBucket('t/tok_1', 'q/tok_1/29000000', 'q/tok_1/29000001', 'u/tok_1'));
  assert.ok(!sameBucket('t/tok_1', 't/tok_2'));
  assert.ok(
    sameBucket(
      'w/hook_1',
      'd/hook_1/001',
      'l/hook_1/7',
      'i/hook_1/csgo 1.2.3.4:1',
      'e/hook_1/0/csgo 5.6.7.8:1',
    ),
  );
});

test('bucketOf(key) returns the same number as in earlier releases, because gsq finds stored entries by their bucket number', () => {
  const keys = ['s/csgo 1.2.3.4:27015', 't/tok_1', 'w/hook_1', 'k/token.key', 'm/state', 'a', ''];
  assert.deepEqual(keys.map(bucketOf), [101, 4135, 4157, 4143, 4126, 4099, 4096]);
});

test('the servers of many hosts are spread evenly over all buckets (shares of the data)', () => {
  const counts = new Uint32Array(SERVER_BUCKETS);
  for (let i = 0; i < 100 * SERVER_BUCKETS; i++) {
    const bucket = bucketOf(`s/csgo 10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}:27015`);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  assert.ok(least > 30 && most < 300, `${least} to ${most} servers in a bucket`);
});

test('entryKeyOf() restores the key of a stored entry from the two parts that splitEntryKey() returns', () => {
  for (const key of ['s/csgo 1.2.3.4:27015', 'q/tok_1/29', 's/', 'a', '', 'ab/c']) {
    const { kind, field } = splitEntryKey(key);
    assert.equal(entryKeyOf(kind, field), key);
  }
  assert.deepEqual(splitEntryKey('q/tok_1/29'), { kind: 'q', field: 'tok_1/29' });
});

test('each key in Redis or Valkey contains the number of its bucket (a share of the data) as the hash tag', () => {
  assert.deepEqual([fenceKey(7), hashKey(4095, 's')], ['gsq:{7}:f', 'gsq:{4095}:s']);
  assert.deepEqual(['gsq:{7}:s', 'gsq:{7}:', 'gsq:{7}:f', 'other'].map(kindOfHash), [
    's',
    '',
    undefined,
    undefined,
  ]);
  assert.throws(() => hashKey(1, 'f'), /cannot be a key prefix/);
});

test('slotOfTag() and slotOfBucket() return the hash slots that a Redis or Valkey cluster calculates', () => {
  // 0x31c3 is the CRC-16/XMODEM of the text 123456789: the check value in the Redis Cluster specification.
  assert.deepEqual([slotOfTag('123456789'), slotOfBucket(0), slotOfTag('06S')], [0x31c3, 13_907, 0]);
});
