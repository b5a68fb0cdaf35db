import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError, toRpcStatus } from '../../../proto/service-error.ts';
import { ADDRESS, type AnswerCall, KEY, withFaultyPeer } from './faulty-peer.ts';

const isCore1 = (error: unknown): boolean => error instanceof ServiceError && error.code === 'CORE_1';
const ignore: AnswerCall = () => {};

test('if another core does not answer a call, the call fails with CORE_1 at its deadline, and later calls to this core work', async t => {
  const { read, peerState, ownership } = await withFaultyPeer(t, ignore, 1_000);
  const watchers = ownership.watchers;
  await assert.rejects(read(), isCore1);
  peerState.answer = ({ id }, stream) => stream.write({ replies: [{ id, servers: [{}] }] });
  assert.deepEqual(await read(), [{ inserted: false }]);
  assert.equal(ownership.watchers, watchers);
});

test('if the core that owns a server dies before it answers a call, the call is sent again to the new owner of the server', async t => {
  const { read, peer, takeOver, nextMessage, cluster } = await withFaultyPeer(t, ignore);
  const reading = read();
  await nextMessage();
  await takeOver();
  peer.forceShutdown();
  cluster.leave('peer');
  const [result] = await reading;
  assert.equal(result?.record?.key, KEY);
});

test('if a core leaves the cluster and its connection stays open, calls to this core are sent again to the new owner of the server', async t => {
  const { read, takeOver, nextMessage, cluster } = await withFaultyPeer(t, ignore);
  const reading = read();
  await nextMessage();
  await takeOver();
  cluster.leave('peer');
  const [result] = await reading;
  assert.equal(result?.record?.key, KEY);
});

test('if the stream to another core ends before the reply, the call is sent again on a new stream', async t => {
  let ended = false;
  const { read, streams } = await withFaultyPeer(t, ({ id }, stream) => {
    if (ended) stream.write({ replies: [{ id, servers: [{ inserted: true }] }] });
    else stream.end();
    ended = true;
  });
  assert.deepEqual(await read(), [{ inserted: true }]);
  assert.equal(streams.length, 2);
});

const garbage: Record<string, AnswerCall> = {
  'a reply with a wrong number of servers': ({ id }, stream) =>
    stream.write({ replies: [{ id, servers: [{}, {}] }] }),
  'a record that cannot be read': ({ id }, stream) =>
    stream.write({ replies: [{ id, servers: [{ record: Buffer.from('garbage') }] }] }),
  'an unknown reason': ({ id }, stream) =>
    stream.write({ replies: [{ id, servers: [{ invalidReason: 'because' }] }] }),
  'a flood of replies that nobody asked for': ({ id }, stream) => {
    const replies = Array.from({ length: 5_000 }, (_, i) => ({ id: id + 1 + i, servers: [{}] }));
    stream.write({ replies });
  },
};
for (const [fault, answer] of Object.entries(garbage)) {
  test(`${fault} from another core ends the stream to that core, and the call is sent again on a new stream`, async t => {
    const world = await withFaultyPeer(t, (call, stream) => {
      if (world.streams.length === 1) answer(call, stream);
      else stream.write({ replies: [{ id: call.id, servers: [{ inserted: true }] }] });
    });
    assert.deepEqual(await world.read(), [{ inserted: true }]);
    assert.equal(world.streams.length, 2);
  });
}

test('if the core that owns a server answers a call with an error, the call fails with this error', async t => {
  const refusal = toRpcStatus(new ServiceError('QUERY_1', 'a refusal'));
  const { read } = await withFaultyPeer(t, ({ id }, stream) => {
    stream.write({ replies: [{ id, error: refusal }] });
  });
  await assert.rejects(
    read(),
    (error: unknown) =>
      error instanceof ServiceError && error.code === 'QUERY_1' && error.message === 'a refusal',
  );
});

test('if a core answers that a server has moved, the call is sent again to the new owner of the server', async t => {
  const { read, takeOver, ownership, peerState } = await withFaultyPeer(t, ignore);
  let asked = 0;
  peerState.answer = ({ id }, stream) => {
    asked++;
    const reply = () => stream.write({ replies: [{ id, servers: [{ moved: true }] }] });
    if (asked === 2) void takeOver().then(reply);
    else reply();
  };
  const [result] = await read();
  assert.equal(result?.record?.key, KEY);
  assert.ok(ownership.refreshes >= 2);
});

test('if no core owns a server, a call for this server fails with CORE_1 at its deadline', async t => {
  const { read, cluster, messages } = await withFaultyPeer(t, ignore, 1_000);
  cluster.owners.fill(undefined);
  cluster.tellAll();
  await assert.rejects(read(), isCore1);
  assert.equal(messages.length, 0);
});

test('when a core closes, its running and later calls to other cores fail with CORE_1', async t => {
  const { read, remote, nextMessage } = await withFaultyPeer(t, ignore);
  const reading = assert.rejects(read(), isCore1);
  await nextMessage();
  remote.close();
  await reading;
  await assert.rejects(read(), isCore1);
});

test('if the core that owns a new server does not answer the insert, the insert no longer counts against the limits of the token', async t => {
  const { core, peerState } = await withFaultyPeer(t, ignore, 1_000);
  const acts: string[] = [];
  const { countRate, uncountRate } = core.guard;
  t.mock.method(core.guard, 'countRate', (token: string) => {
    acts.push('count');
    return countRate.call(core.guard, token);
  });
  t.mock.method(core.guard, 'uncountRate', (token: string, at: number) => {
    acts.push('uncount');
    return uncountRate.call(core.guard, token, at);
  });
  peerState.answer = ({ id, action }, stream) => {
    acts.push(String(action));
    if (action === 'PART_ACTION_CHECK') stream.write({ replies: [{ id, servers: [{ inserted: true }] }] });
  };
  const groups = [{ gameId: 'csgo', servers: [ADDRESS] }];
  await assert.rejects(core.fetch.fetch(groups, 'tok_1', 0), isCore1);
  assert.deepEqual(acts, ['PART_ACTION_CHECK', 'count', 'PART_ACTION_INSERT', 'uncount']);
});
