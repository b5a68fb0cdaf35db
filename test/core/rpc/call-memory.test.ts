import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Metadata } from '@grpc/grpc-js';
import { CallMemories, CallMemory } from '../../../core/rpc/call-memory.ts';
import type { FetchedPair } from '../../../core/servers/fetch-request.ts';
import { LINK_ID_KEY } from '../../../proto/clients.ts';

const pair = (inserted: boolean): FetchedPair => ({ gameId: 'csgo', server: '1.2.3.4:27015', inserted });

describe('CallMemory (the newest calls of one gateway)', () => {
  test('remembers whether a call was already counted against the daily quota', () => {
    const memory = new CallMemory();
    for (const id of [0, 1, 65_536, 0xffff_ffff]) {
      assert.equal(memory.wasCharged(id), false);
      memory.noteCharged(id);
      assert.equal(memory.wasCharged(id), true);
    }
    assert.equal(memory.wasCharged(2), false);
    assert.equal(memory.wasCharged(65_537), false);
  });

  test('remembers the newest 65,536 calls that used daily quota', () => {
    const memory = new CallMemory();
    for (let id = 1; id <= 65_537; id++) memory.noteCharged(id);
    assert.deepEqual(
      [1, 2, 65_537].map(id => memory.wasCharged(id)),
      [false, true, true],
    );
  });

  test('remembers every fetch until the fetch ends, and afterwards only if the fetch inserted a server', async () => {
    const memory = new CallMemory();
    const fetches: [number, Promise<FetchedPair[]>][] = [
      [1, Promise.resolve([pair(false), pair(true)])],
      [2, Promise.resolve([pair(false)])],
      [3, Promise.reject(new Error('no room'))],
    ];
    for (const [id, result] of fetches) {
      memory.fetchOnce(id, 1, () => result);
      assert.equal(memory.findFetch(id), result);
    }
    await Promise.allSettled(fetches.map(([, result]) => result));
    await new Promise(setImmediate);
    assert.deepEqual(
      fetches.map(([id]) => memory.findFetch(id) !== undefined),
      [true, false, false],
    );
  });

  test('starts no second fetch if a call is repeated during its fetch, and counts the addresses of the fetch only once', async () => {
    const memory = new CallMemory();
    let runs = 0;
    const fetch = async (): Promise<FetchedPair[]> => {
      runs++;
      return [pair(false)];
    };
    const results = [1, 2].map(() => memory.fetchOnce(1, 6_000, fetch));
    assert.equal(results[0], results[1]);
    assert.equal(runs, 1);
    await Promise.all(results);
    memory.fetchOnce(2, 9_000, async () => [pair(true)]);
    assert.ok(memory.findFetch(2));
  });

  test('forgets the oldest fetches if all fetches together have more than 10,000 addresses', () => {
    const memory = new CallMemory();
    const running = new Promise<FetchedPair[]>(() => {});
    for (let id = 1; id <= 12; id++) memory.fetchOnce(id, 1000, () => running);
    assert.deepEqual(
      [1, 2, 3, 12].map(id => memory.findFetch(id) !== undefined),
      [false, false, true, true],
    );
  });
});

describe('CallMemories (the newest calls of all gateways)', () => {
  const linked = (id: string): Metadata => {
    const metadata = new Metadata();
    metadata.set(LINK_ID_KEY, id);
    return metadata;
  };

  test('returns the same CallMemory for all streams of one gateway', () => {
    const memories = new CallMemories();
    const one = memories.memoryFor(linked('one'));
    assert.ok(one);
    assert.equal(memories.memoryFor(linked('one')), one);
    assert.notEqual(memories.memoryFor(linked('two')), one);
    assert.equal(memories.memoryFor(new Metadata()), undefined);
  });

  test('remembers at most 16 gateways, and forgets the least recently used gateway', () => {
    const memories = new CallMemories();
    const [first, second] = ['0', '1'].map(id => memories.memoryFor(linked(id)));
    for (let i = 2; i < 16; i++) memories.memoryFor(linked(String(i)));
    assert.equal(memories.memoryFor(linked('0')), first);
    memories.memoryFor(linked('16'));
    assert.equal(memories.memoryFor(linked('0')), first);
    assert.notEqual(memories.memoryFor(linked('1')), second);
  });
});
