import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_PART_CALLS } from '../../../core/cluster/parts/part-messages.ts';
import { withFaultyPeer } from './faulty-peer.ts';

test('a core sends its calls of one event-loop turn to another core in one message, and assigns the replies to the calls by id', async t => {
  const waiting: number[] = [];
  const { read, messages, streams } = await withFaultyPeer(t, ({ id }, stream) => {
    waiting.push(id);
    if (waiting.length < 3) return;
    // Sends the replies in the reverse order of the calls. `inserted` is true only in the reply to the last call.
    const replies = waiting.map((each, i) => ({ id: each, servers: [{ inserted: i === 2 }] }));
    stream.write({ replies: replies.reverse() });
  });
  const results = await Promise.all([read(), read(), read()]);
  assert.deepEqual(
    results.flat().map(({ inserted }) => inserted),
    [false, false, true],
  );
  assert.deepEqual([messages.length, streams.length], [1, 1]);
});

test('if too many calls to another core are open, a new call fails immediately with CORE_1, and the open calls are answered', async t => {
  const calls: { id: number }[] = [];
  const { read, streams } = await withFaultyPeer(t, ({ id }) => {
    calls.push({ id });
    const [stream] = streams;
    if (calls.length < MAX_PART_CALLS) return;
    for (let i = 0; i < calls.length; i += 100)
      stream?.write({ replies: calls.slice(i, i + 100).map(each => ({ ...each, servers: [{}] })) });
  });
  const reading = Array.from({ length: MAX_PART_CALLS }, () => read());
  await assert.rejects(read(), /Too many calls/);
  const answers = await Promise.all(reading);
  assert.ok(answers.every(([result]) => result?.inserted === false));
  assert.equal(calls.length, MAX_PART_CALLS);
});

test('a call to another core for many servers is split, and the results keep the order of the servers', async t => {
  const { remote, messages } = await withFaultyPeer(t, ({ id, servers }, stream) => {
    const results = servers.flatMap(group =>
      group.servers.map(address => ({ inserted: address.endsWith('7') })),
    );
    stream.write({ replies: [{ id, servers: results }] });
  });
  const servers = Array.from({ length: 600 }, (_, i) => ({
    gameId: 'csgo',
    address: `1.2.3.4:${27000 + i}`,
  }));
  const results = await remote.fetch('read', servers, '', 0, remote.deadline(0));
  assert.deepEqual(
    results.map(({ inserted }) => inserted),
    servers.map(({ address }) => address.endsWith('7')),
  );
  assert.equal(messages.flatMap(({ calls }) => calls).length, 3);
});
