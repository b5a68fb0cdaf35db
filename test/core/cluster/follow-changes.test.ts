import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decodeStored } from '../../../core/servers/stored-record.ts';
import type { FollowChangesRequest } from '../../../proto/generated/gsq/v1/FollowChangesRequest.ts';
import type { FollowChangesResponse__Output } from '../../../proto/generated/gsq/v1/FollowChangesResponse.ts';
import { Inbox } from '../rpc/answer.ts';
import { FeedWorld, type WorldCore } from './feed-world.ts';
import { keysOf } from './three-cores.ts';

/** Starts two cores. `follow` opens a stream on which the second core sends its changes to the first core. */
async function twoCores(t: TestContext) {
  const world = new FeedWorld(t);
  const [a, b] = await world.start('a', 'b');
  assert.ok(a && b);
  const [key = '', other = ''] = keysOf(world, b, 2);
  world.insert(key);
  world.insert(other);
  const follow = (request: FollowChangesRequest) => {
    const call = a.peers.client(b.member).followChanges(request, a.peers.metadata);
    t.after(() => call.cancel());
    return { call, inbox: new Inbox<FollowChangesResponse__Output>(call) };
  };
  return { world, b, key, other, follow };
}

/**
 * Returns the changes in each message of `inbox`. A change is returned as a list: server key, whether a field has
 * changed, old version of the record, new version of the record. The version is 0 if there is no record.
 */
function shown({ messages }: Inbox<FollowChangesResponse__Output>): [string, boolean, number, number][][] {
  const version = (key: string, bytes: Buffer): number =>
    bytes.length === 0 ? 0 : decodeStored(key, bytes).version;
  return messages.map(({ changes }) =>
    changes.map(({ key, fields, before, after }) => [
      key,
      fields !== 0,
      version(key, before),
      version(key, after),
    ]),
  );
}

/**
 * Fills the send buffer of a connection: the core sends `count` changes of one large server record, and the caller does
 * not read.
 */
async function sendMany(world: FeedWorld, core: WorldCore, key: string, count: number): Promise<void> {
  const record = world.truth(key);
  assert.ok(record);
  const large = { ...record, data: Buffer.alloc(100_000) };
  for (let n = 0; n < count; n++) {
    core.own.publishListing(large, large);
    if (n % 10 === 0) await new Promise(setImmediate);
  }
}

test('FollowChanges (a stream between cores) first sends an empty message, and later sends all changes of one event-loop turn in one message', async t => {
  const { world, key, other, follow } = await twoCores(t);
  const { inbox } = follow({});
  await inbox.until(messages => messages.length >= 1);
  world.probe(key, 5);
  world.probe(key, 5);
  world.probe(other, 6);
  world.remove(other);
  await inbox.until(messages => messages.length >= 2);
  assert.deepEqual(shown(inbox), [
    [],
    [
      [key, true, 1, 2],
      [other, true, 1, 2],
      [other, true, 2, 0],
    ],
  ]);
});

test('FollowChanges (a stream between cores) sends the record of a server in the field probed_keys after each probe of the server, even if nothing changed', async t => {
  const { world, key, other, follow } = await twoCores(t);
  const { inbox } = follow({ probedKeys: [key] });
  await inbox.until(messages => messages.length >= 1);
  for (let probes = 2; probes < 5; probes++) {
    world.probe(key, 5);
    world.probe(other, probes);
    await inbox.until(messages => messages.length >= probes);
  }
  assert.deepEqual(shown(inbox), [[], [[key, false, 0, 2]], [[key, false, 0, 3]], [[key, false, 0, 4]]]);
});

test('FollowChanges (a stream between cores) refuses a request with more than 1000 server keys in the field probed_keys', async t => {
  const { follow } = await twoCores(t);
  const { inbox } = follow({ probedKeys: Array.from({ length: 1001 }, (_, n) => `csgo 127.0.0.1:${n + 1}`) });
  assert.equal((await inbox.over)?.ours?.code, 'QUERY_1');
});

test('if a core reads a FollowChanges stream so slowly that too many bytes wait, the sending core ends the stream with CORE_1', async t => {
  const { world, b, key, follow } = await twoCores(t);
  b.following.maxWaitingBytes = 1_000_000;
  const { call, inbox } = follow({});
  await inbox.until(messages => messages.length >= 1);
  call.pause();
  await sendMany(world, b, key, 300);
  call.resume();
  const end = await inbox.over;
  assert.equal(end?.ours?.code, 'CORE_1');
});
