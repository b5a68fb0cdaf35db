import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WatchSlots } from '../../../core/rpc/watch-slots.ts';

const token = (limitKey: string) => ({ limitKey, isStranger: false });
const stranger = (limitKey: string) => ({ limitKey, isStranger: true });

test('open change streams are limited for each token, for each address without a token, and for all callers together', () => {
  const slots = new WatchSlots({ inAll: 6, aToken: 3, aStranger: 2 });
  const releases = [1, 2, 3].map(() => slots.acquireSlot(token('tok_1')));
  assert.throws(() => slots.acquireSlot(token('tok_1')), { code: 'RATE_1', message: /token watches on 3/ });
  slots.acquireSlot(stranger('192.0.2.1'));
  slots.acquireSlot(stranger('192.0.2.1'));
  assert.throws(() => slots.acquireSlot(stranger('192.0.2.1')), { code: 'RATE_1', message: /address has 2/ });
  slots.acquireSlot(stranger('192.0.2.2'));
  assert.throws(() => slots.acquireSlot(stranger('192.0.2.3')), { code: 'CORE_1' });
  releases[0]?.();
  slots.acquireSlot(token('tok_1'));
});

test('the change streams of an operator are limited only by the limit for all callers together', () => {
  const slots = new WatchSlots({ inAll: 5, aToken: 1, aStranger: 1 });
  for (let n = 0; n < 5; n++) slots.acquireSlot(token(''));
  assert.throws(() => slots.acquireSlot(token('')), { code: 'CORE_1' });
});
