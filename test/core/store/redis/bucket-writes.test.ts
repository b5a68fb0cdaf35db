import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketOf } from '../../../../core/cluster/buckets.ts';
import {
  encodeWrite,
  type QueuedWrite,
  queuedWrite,
  readWinners,
  writesOf,
} from '../../../../core/store/redis/bucket-writes.ts';
import { PUT_SCRIPT, WRITE_SCRIPT } from '../../../../core/store/redis/scripts.ts';

const put = (key: string, mode: QueuedWrite['mode'] = 'soft', value = key): QueuedWrite =>
  queuedWrite({ type: 'put', key, value: Buffer.from(value) }, mode);
const del = (key: string, mode: QueuedWrite['mode'] = 'soft'): QueuedWrite =>
  queuedWrite({ type: 'del', key }, mode);
/** Returns the arguments of a Redis command as strings. */
const texts = (command: readonly (string | Buffer)[]): string[] => command.map(String);

test('one call of PUT_SCRIPT (a Lua script) is durable if at least one of its writes must be durable', () => {
  for (const mode of ['soft', 'hard'] as const) {
    const writes = [put('s/a', 'soft', '1'), put('s/b', mode, '2')];
    const { command, isDurable } = encodeWrite(7, writes, '1 x');
    const keys = ['gsq:{7}:f', 'gsq:{7}:s'];
    assert.deepEqual(texts(command), ['EVALSHA', PUT_SCRIPT.sha, '2', ...keys, '1 x', 'a', '1', 'b', '2']);
    assert.equal(isDurable, mode === 'hard');
  }
});

test('64 or more entries of one kind are written by a transaction, not by a Lua script, unless a write must be durable', () => {
  const writes = (count: number, mode: QueuedWrite['mode']) =>
    Array.from({ length: count }, (_, i) => put(`s/${i}`, i === 0 ? mode : 'soft'));
  const { put: transaction, command } = encodeWrite(7, writes(64, 'soft'), '1 x');
  assert.ok(transaction);
  assert.deepEqual([transaction.fenceKey, transaction.fence], ['gsq:{7}:f', '1 x']);
  assert.deepEqual(texts(transaction.command).slice(0, 4), ['HSET', 'gsq:{7}:s', '0', 's/0']);
  assert.deepEqual(texts(command).slice(0, 2), ['EVALSHA', PUT_SCRIPT.sha]);
  assert.deepEqual(texts(command).slice(6), texts(transaction.command).slice(2));
  assert.equal(encodeWrite(7, writes(63, 'soft'), '1 x').put, undefined);
  assert.equal(encodeWrite(7, writes(64, 'hard'), '1 x').put, undefined);
});

test('one call of the Lua write script can execute operations of several types, such as put and del', () => {
  const writes = [
    put('t/a', 'hard', '1'),
    put('t/b', 'hard', '2'),
    del('q/a/1', 'hard'),
    del('q/a/2'),
    put('t/a', 'insert', '3'),
  ];
  const { command, isDurable, inserts } = encodeWrite(7, writes, '1 x');
  assert.deepEqual(texts(command), [
    ...['EVALSHA', WRITE_SCRIPT.sha, '3', 'gsq:{7}:f', 'gsq:{7}:t', 'gsq:{7}:q', '1 x'],
    ...['put', '2', '4', 'a', '1', 'b', '2'],
    ...['del', '3', '2', 'a/1', 'a/2'],
    ...['insert', '2', '2', 'a', '3'],
  ]);
  assert.deepEqual([isDurable, inserts], [true, writes.slice(4)]);
});

test('a call of the Lua write script does not wait for replicas if all writes are `soft` (no caller waits for them)', () => {
  for (const writes of [[del('s/a')], [put('q/a'), put('u/a')]]) {
    const { command, isDurable } = encodeWrite(7, writes, '1 x');
    assert.deepEqual([command[1], isDurable], [WRITE_SCRIPT.sha, false]);
  }
});

test('a call of the Lua write script splits operations of the same type into groups of at most 4,000 arguments', () => {
  for (const mode of ['soft', 'hard', 'insert'] as const) {
    const writes = Array.from({ length: 5_000 }, (_, i) => put(`s/${i}`, mode));
    const command = texts(encodeWrite(7, writes, '1 x').command);
    const type = mode === 'insert' ? 'insert' : 'put';
    // This test writes 5,000 entries. Each entry has two arguments (key and value), which makes 10,000 arguments.
    // `encodeWrite` splits them into groups of at most 4,000 arguments for the Lua script WRITE_SCRIPT.
    const lengths = command.flatMap((text, i) => (text === type ? [Number(command[i + 2])] : []));
    assert.deepEqual(lengths, [4_000, 4_000, 2_000]);
  }
});

test('the store sends all queued operations on one bucket (part of the store) in one script call, in their order', () => {
  const servers = ['s/csgo 1.2.3.4:1', 's/csgo 5.6.7.8:1', 's/csgo 1.2.3.4:2'];
  const writes = [put('t/1', 'hard'), ...servers.map(key => put(key)), del('t/1')];
  const unowned = new Set<QueuedWrite>();
  const calls = writesOf(writes, () => ({ text: '1 x' }), unowned);
  assert.equal(unowned.size, 0);
  assert.deepEqual(
    calls.map(({ bucket }) => bucket),
    ['t/1', 's/csgo 1.2.3.4:1', 's/csgo 5.6.7.8:1'].map(bucketOf),
  );
  const [token, host] = calls.map(({ command }) => texts(command).slice(5));
  assert.deepEqual(token, ['1 x', 'put', '2', '2', '1', 't/1', 'del', '2', '1', '1']);
  assert.deepEqual(host, ['1 x', 'csgo 1.2.3.4:1', servers[0], 'csgo 1.2.3.4:2', servers[2]]);
});

test('operations on a bucket (share of the data) that this core does not own are not written', () => {
  const writes = [put('t/1', 'hard'), put('s/csgo 1.2.3.4:1'), del('t/1')];
  const own = bucketOf('s/csgo 1.2.3.4:1');
  const unowned = new Set<QueuedWrite>();
  const calls = writesOf(writes, bucket => (bucket === own ? { text: '3 x' } : undefined), unowned);
  assert.deepEqual(
    calls.map(({ bucket, command }) => [bucket, String(command[5])]),
    [[own, '3 x']],
  );
  assert.deepEqual([...unowned], [writes[0], writes[2]]);
});

test('readWinners() finds each insert that failed because its key already has another value', () => {
  const writes = [put('t/a', 'insert'), put('t/x', 'hard'), put('s/b', 'insert')];
  const call = encodeWrite(7, writes, '1 x');
  const winners = new Map<QueuedWrite, Buffer>();
  readWinners({ ...call, reply: [2, Buffer.from('theirs')] }, winners);
  assert.deepEqual([...winners], [[writes[2], Buffer.from('theirs')]]);
  readWinners({ ...call, reply: [] }, winners);
  readWinners({ ...call, reply: 1 }, winners);
  assert.equal(winners.size, 1);
});
