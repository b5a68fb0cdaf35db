import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { bucketOfServer } from '../../../core/cluster/buckets.ts';
import { type State, type StreamReader, stateOf } from './feed-reader.ts';
import { FeedWorld, type WorldCore } from './feed-world.ts';

/** Waits until `isTrue` returns true. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(setImmediate);
}

/** Returns the keys of `count` servers of one game that `core` owns. */
export function keysOf(world: FeedWorld, core: WorldCore, count: number, gameId = 'csgo'): string[] {
  const keys: string[] = [];
  for (let n = 0; keys.length < count; n++) {
    const key = `${gameId} 127.1.${n >> 8}.${n & 255}:27015`;
    if (world.owners[bucketOfServer(key)] === core) keys.push(key);
  }
  return keys;
}

/** Starts the cores a, b and c. Each core has `count` servers of the game csgo. */
export async function threeCores(t: TestContext, count = 2, knownBytes?: number) {
  const world = new FeedWorld(t, knownBytes);
  const [a, b, c] = await world.start('a', 'b', 'c');
  assert.ok(a && b && c);
  const keys = [a, b, c].map(core => keysOf(world, core, count));
  for (const key of keys.flat()) {
    world.insert(key);
    world.probe(key, 1);
  }
  // Lets one minute pass, so that the change feed no longer treats the inserted servers as new. The tests need servers
  // that are not new.
  world.clock.at += 60_000;
  const [ofA = [], ofB = [], ofC = []] = keys;
  return { world, a, b, c, ofA, ofB, ofC, all: keys.flat() };
}

function truthOf(world: FeedWorld, keys: readonly string[]): Map<string, State> {
  return new Map(keys.flatMap(key => (world.truth(key) ? [[key, stateOf(world.truth(key))]] : [])));
}

/**
 * Returns true if the reader of a change stream has the current state of every server in `keys`, and of no other
 * server.
 */
export function isTrue(world: FeedWorld, reader: StreamReader, keys: readonly string[]): boolean {
  const truth = truthOf(world, keys);
  return (
    truth.size === reader.states.size && [...truth].every(([key, state]) => reader.states.get(key) === state)
  );
}

/**
 * Waits until the reader of a change stream has the current state of every server in `keys`, and of no other server.
 */
export function untilTrue(world: FeedWorld, reader: StreamReader, keys: readonly string[]): Promise<void> {
  return until(() => isTrue(world, reader, keys));
}
