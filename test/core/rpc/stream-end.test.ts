import assert from 'node:assert/strict';
import { EventEmitter, getEventListeners } from 'node:events';
import { test } from 'node:test';
import { streamEnd } from '../../../core/rpc/stream-end.ts';

class Stream extends EventEmitter {
  destroyed = false;
  cancelled = false;
}

for (const [event, how] of [
  ['end', 'ended'],
  ['close', 'lost'],
  ['cancelled', 'lost'],
] as const) {
  test(`streamEnd() resolves with \`${how}\` when a gRPC stream emits the event \`${event}\``, async () => {
    const stream = new Stream();
    const { signal } = new AbortController();
    const over = streamEnd(stream, signal);
    stream.emit(event);
    assert.equal(await over, how);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
}

test('streamEnd() resolves with `lost` if a gRPC stream is cancelled directly after its event `end`', async () => {
  const stream = new Stream();
  const over = streamEnd(stream, new AbortController().signal);
  stream.emit('end');
  stream.cancelled = true;
  stream.emit('cancelled');
  assert.equal(await over, 'lost');
});

test('streamEnd() resolves immediately if the gRPC stream was already cancelled or destroyed', async () => {
  const { signal } = new AbortController();
  assert.equal(await streamEnd(Object.assign(new Stream(), { cancelled: true }), signal), 'lost');
  assert.equal(await streamEnd(Object.assign(new Stream(), { destroyed: true }), signal), 'lost');
});

test('streamEnd() resolves with `closing` when the core shuts down', async () => {
  const closing = new AbortController();
  const over = streamEnd(new Stream(), closing.signal);
  closing.abort();
  assert.equal(await over, 'closing');
  assert.equal(await streamEnd(new Stream(), closing.signal), 'closing');
});
