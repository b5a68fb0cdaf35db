import assert from 'node:assert/strict';
import { EventEmitter, getEventListeners } from 'node:events';
import { test } from 'node:test';
import { streamEnd } from '../../../core/rpc/stream-end.ts';

class Stream extends EventEmitter {
  destroyed = false;
  cancelled = false;
}

for (const event of ['end', 'close', 'cancelled']) {
  test(`a stream is over at its ${event}, and nothing goes on listening for the core to close`, async () => {
    const stream = new Stream();
    const { signal } = new AbortController();
    const over = streamEnd(stream, signal);
    stream.emit(event);
    await over;
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
}

test('a stream that was cancelled or destroyed before anybody looked is over at once', async () => {
  const { signal } = new AbortController();
  await streamEnd(Object.assign(new Stream(), { cancelled: true }), signal);
  await streamEnd(Object.assign(new Stream(), { destroyed: true }), signal);
});

test('every stream is over when the core closes, later ones too', async () => {
  const closing = new AbortController();
  const over = streamEnd(new Stream(), closing.signal);
  closing.abort();
  await over;
  await streamEnd(new Stream(), closing.signal);
});
