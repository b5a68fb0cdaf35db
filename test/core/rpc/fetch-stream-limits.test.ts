import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import { FREE_DAY_QUOTA } from '../../../core/access/allowance.ts';
import { googleRpc } from '../../../proto/descriptors.ts';
import { errorOf, fetchOf, LONG_MS, openedStream } from './opened-stream.ts';

test('a fetch of more than 1000 addresses is refused with POST_3, and does not count against the daily quota', async t => {
  const { ask, id, quota, store } = await openedStream(t);
  const many = Array.from({ length: 1001 }, () => '1.2.3.4:27015');
  const [reply] = await ask({ fetch: fetchOf(many) });
  const error = errorOf(reply);
  assert.equal(error?.code, 'POST_3');
  assert.deepEqual(error?.details.violations, [{ path: 'servers', message: '1001 addresses, at most 1000' }]);
  assert.equal(reply?.allowances[0]?.remaining, FREE_DAY_QUOTA);
  assert.deepEqual([quota.used(id), store.stats().tracked], [0, 0]);
  const [allowed] = await ask({ fetch: fetchOf(many.slice(1)) });
  assert.equal(allowed?.outcome, 'fetched');
});

test('the error of a call contains the request id of the call, if this id is valid', async t => {
  const { ask } = await openedStream(t);
  const fetch = fetchOf(Array.from({ length: 1001 }, () => '1.2.3.4:27015'));
  const replies = await ask({ requestId: 'an-id', fetch }, { requestId: 'not valid', fetch }, { fetch });
  const ids = replies.map(({ error }) => {
    const info = error?.details.find(({ type_url }) => type_url.endsWith('/google.rpc.RequestInfo'));
    return info && googleRpc.RequestInfo.deserialize(info.value).requestId;
  });
  assert.deepEqual(ids, ['an-id', undefined, undefined]);
});

test('a fetch beyond the daily quota gets QUOTA_1 with the quota and its usage, and inserts no server', async t => {
  const { ask, id, quota, store } = await openedStream(t);
  for (let i = 0; i < FREE_DAY_QUOTA; i++) quota.charge(id);
  const [reply] = await ask({ fetch: fetchOf(['1.2.3.4:27015']) });
  assert.deepEqual(errorOf(reply)?.details, {
    retryAfterSeconds: 86_400,
    facts: { quota: '1440', used: '1440' },
    quotaSubject: `token:${id}`,
  });
  assert.equal(reply?.allowances[0]?.remaining, 0);
  assert.equal(store.stats().tracked, 0);
});

test('a stream immediately refuses further calls while 1024 calls on this stream have no reply', async t => {
  const { stream, inbox, replies, joinProber, ask } = await openedStream(t);
  const calls = Array.from({ length: 1100 }, (_, i) => ({
    id: i + 1,
    fetch: fetchOf([`1.2.3.4:${20_000 + i}`], LONG_MS),
  }));
  stream.write({ calls: calls.slice(0, 600) });
  stream.write({ calls: calls.slice(600) });
  const refused = () => replies().filter(({ error }) => error);
  await inbox.until(() => refused().length === 76);
  for (const reply of refused()) {
    assert.ok(reply.id > 1024);
    const error = errorOf(reply);
    assert.deepEqual([error?.code, error?.details.retryAfterSeconds], ['CORE_1', 1]);
  }
  joinProber();
  await inbox.until(() => replies().length === 1100);
  assert.equal(replies().filter(({ outcome }) => outcome === 'fetched').length, 1024);
  const [reply] = await ask({ check: {} });
  assert.equal(reply?.outcome, 'checked');
});

test('if one message contains more than 1024 calls, the stream ends with INVALID_ARGUMENT and GRPC_1', async t => {
  const { stream, inbox, replies } = await openedStream(t);
  stream.write({ calls: Array.from({ length: 1025 }, (_, i) => ({ id: i + 1, check: {} })) });
  const end = await inbox.over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.INVALID_ARGUMENT, 'GRPC_1']);
  assert.deepEqual(end?.ours?.details, {
    violations: [{ path: 'calls', message: '1025 calls, at most 1024' }],
    facts: { calls: '1025', max_calls: '1024' },
  });
  assert.deepEqual(replies(), []);
});

test('calls that a gateway queued during a core outage are exempt from the burst limit only on the internal port', async t => {
  for (const trusted of [true, false]) {
    const { ask } = await openedStream(t, { trusted, burstLimit: 2 });
    const calls = Array.from({ length: 4 }, () => ({ check: {}, held: true }));
    const refused = (await ask(...calls)).filter(({ error }) => error).length;
    assert.equal(refused, trusted ? 0 : 2);
  }
});
