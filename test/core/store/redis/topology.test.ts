import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkInfo, readInfo } from '../../../../core/store/redis/check-engine.ts';
import { fenceOf, isNewer } from '../../../../core/store/redis/fence.ts';
import { readRedirect, readSlots } from '../../../../core/store/redis/topology.ts';

const asked = { host: '10.0.0.9', port: 7009 };
const text = (value: string): Buffer => Buffer.from(value);

test('`readSlots` reads the master of each hash slot and all nodes from the reply of CLUSTER SLOTS', () => {
  const replica = [text('10.0.0.2'), 7002, text('id2'), []];
  const { masters, nodes, isCluster } = readSlots(
    [
      [0, 5460, [text('10.0.0.1'), 7001, text('id1'), []], replica],
      [5461, 5461, [text(''), 7003, text('id3'), []]],
      [5463, 16_383, [null, 7004, text('id4'), []]],
    ],
    asked,
  );
  assert.equal(isCluster, true);
  assert.deepEqual(
    [0, 5460, 5461, 5462, 16_383].map(slot => masters[slot]),
    ['10.0.0.1:7001', '10.0.0.1:7001', '10.0.0.9:7003', undefined, '10.0.0.9:7004'],
  );
  assert.deepEqual([...nodes.keys()], ['10.0.0.1:7001', '10.0.0.2:7002', '10.0.0.9:7003', '10.0.0.9:7004']);
});

test('`readRedirect` reads the hash slot and the address of the node from a MOVED or ASK error', () => {
  const address = { host: '10.0.0.1', port: 7001 };
  assert.deepEqual(readRedirect('MOVED 3999 10.0.0.1:7001', asked), { slot: 3999, address });
  assert.deepEqual(readRedirect('ASK 1 ::1:7001', asked), { slot: 1, address: { host: '::1', port: 7001 } });
  assert.deepEqual(readRedirect('MOVED 1 :7001', asked), {
    slot: 1,
    address: { host: '10.0.0.9', port: 7001 },
  });
  assert.equal(readRedirect('MOVED', asked), undefined);
});

test('isNewer() returns false only for a stored fencing token that is empty or has a lower epoch than the given token', () => {
  const mine = fenceOf(12, 'core-a');
  assert.equal(mine.text, '12 core-a');
  assert.deepEqual(
    ['13 core-b', '12 core-b', 'text', '9 core-b', ''].map(stored => isNewer(stored, mine)),
    [true, true, true, false, false],
  );
  assert.throws(() => fenceOf(0, 'a'), RangeError);
  assert.throws(() => fenceOf(1.5, 'a'), RangeError);
  assert.throws(() => fenceOf(1, 'a b'), RangeError);
});

test('gsq refuses a Redis or Valkey that is too old, may evict (delete) data, or lacks the append-only file that the store URL demands', () => {
  const check = (version: string, policy: string, aof: boolean, isEnabled = '1') =>
    checkInfo(
      readInfo(
        `# Server\r\nredis_version:${version}\r\n\r\nmaxmemory_policy:${policy}\r\naof_enabled:${isEnabled}\r\n`,
      ),
      aof,
      'node:1',
    );
  check('7.0.15', 'noeviction', false, '0');
  check('8.2.0', 'volatile-lru', true);
  assert.throws(() => check('6.2.14', 'noeviction', false), /node:1 is Redis 6\.2\.14/);
  assert.throws(() => check('7.2.4', 'allkeys-lru', false), /maxmemory-policy noeviction/);
  assert.throws(() => check('7.0.15', 'noeviction', true), /aof=yes needs Redis 7\.2/);
  assert.throws(() => check('7.2.4', 'noeviction', true, '0'), /appendonly yes/);
});
