import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { FetchStreamResponse__Output } from '../../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import { Inbox } from './answer.ts';
import { fetchOf, LONG_MS, openedStream } from './opened-stream.ts';
import { runningCore } from './running-core.ts';

test('a caller that half-closes its stream receives all replies, and then the stream ends with OK', async t => {
  const { stream, inbox, replies, joinProber, defects } = await openedStream(t);
  stream.write({ calls: [{ id: 1, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  stream.end();
  joinProber();
  assert.equal(await inbox.over, undefined);
  assert.deepEqual(
    replies().map(({ id, outcome }) => [id, outcome]),
    [[1, 'fetched']],
  );
  assert.deepEqual(defects, []);
});

test('a core that shuts down answers the calls in flight on a stream, and then ends the stream with OK', async t => {
  const { stream, inbox, replies, joinProber, closing, ask } = await openedStream(t);
  await ask({ check: {} });
  stream.write({ calls: [{ id: 7, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  // Call 7 must be in flight at the shutdown. Therefore the test waits for the reply to call 8: the core starts calls
  // in the order of arrival, so it has then started call 7 too.
  stream.write({ calls: [{ id: 8, check: {} }] });
  await inbox.until(() => replies().length === 2);
  closing.abort();
  joinProber();
  assert.equal(await inbox.over, undefined);
  assert.deepEqual(
    replies().map(({ id }) => id),
    [1, 8, 7],
  );
});

test('calls that arrive after the core began to shut down get no reply and do not count against the daily quota', async t => {
  const { stream, inbox, replies, joinProber, closing, ask, quota, id } = await openedStream(t);
  await ask({ check: {} });
  stream.write({ calls: [{ id: 7, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  stream.write({ calls: [{ id: 8, check: {} }] });
  await inbox.until(() => replies().length === 2);
  closing.abort();
  stream.write({ calls: [{ id: 9, fetch: fetchOf(['1.2.3.4:27015']) }] });
  // The core reads the end of the stream after call 9, the last call. So when the stream is over, the core has received
  // call 9.
  stream.end();
  joinProber();
  assert.equal(await inbox.over, undefined);
  assert.equal(replies().at(-1)?.id, 7);
  assert.equal(quota.used(id), 1);
});

test('a stream that is opened while the core shuts down ends immediately', async t => {
  const { client, token, closing } = await runningCore(t);
  const { metadata } = await token();
  closing.abort();
  assert.equal(
    await new Inbox<FetchStreamResponse__Output>(client.server.fetchStream(metadata)).over,
    undefined,
  );
});

test('if a caller disconnects while its calls are in flight, no internal error is logged', async t => {
  const { stream, inbox, store, joinProber, client, token, defects } = await openedStream(t);
  stream.write({
    calls: [
      { id: 1, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) },
      { id: 2, check: {} },
    ],
  });
  await inbox.until(messages => messages.length > 0);
  stream.cancel();
  assert.equal((await inbox.over)?.code, status.CANCELLED);
  joinProber();
  const { metadata } = await token();
  const next = client.server.fetchStream(metadata);
  t.after(() => next.cancel());
  const replies = new Inbox<FetchStreamResponse__Output>(next);
  next.write({ calls: [{ id: 1, fetch: fetchOf(['5.6.7.8:27015'], LONG_MS) }] });
  await replies.until(messages => messages.length === 1);
  assert.equal(store.stats().online, 2);
  assert.deepEqual(defects, []);
});
