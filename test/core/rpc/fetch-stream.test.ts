import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { FREE_DAY_QUOTA } from '../../../core/access/allowance.ts';
import { credentialKeys } from '../../../proto/clients.ts';
import type { FetchCall } from '../../../proto/generated/gsq/v1/FetchCall.ts';
import type { FetchReply__Output } from '../../../proto/generated/gsq/v1/FetchReply.ts';
import type { FetchStreamResponse__Output } from '../../../proto/generated/gsq/v1/FetchStreamResponse.ts';
import { fromRpcStatus } from '../../../proto/service-error.ts';
import { Inbox } from './answer.ts';
import { type RunningCoreOptions, runningCore } from './running-core.ts';

const LONG_MS = 5_000;
const fetchOf = (servers: string[], waitMs = 0) => ({ servers: [{ gameId: 'csgo', servers }], waitMs });

async function opened(t: TestContext, options: RunningCoreOptions = {}) {
  const core = await runningCore(t, options);
  const { id, metadata } = await core.token();
  const stream = core.client.server.fetchStream(metadata);
  t.after(() => stream.cancel());
  const inbox = new Inbox<FetchStreamResponse__Output>(stream);
  const replies = (): FetchReply__Output[] => inbox.messages.flatMap(message => message.replies);
  return {
    ...core,
    id,
    stream,
    inbox,
    replies,
    /** Sends calls in one message with the ids 1, 2, 3 and so on. Resolves to their replies, sorted by id. */
    async ask(...calls: Omit<FetchCall, 'id'>[]): Promise<FetchReply__Output[]> {
      const before = replies().length;
      stream.write({ calls: calls.map((call, i) => ({ ...call, id: i + 1 })) });
      await inbox.until(() => replies().length >= before + calls.length);
      return replies()
        .slice(before)
        .sort((a, b) => a.id - b.id);
    },
  };
}

const errorOf = (reply: FetchReply__Output | undefined) =>
  reply?.error ? fromRpcStatus(reply.error) : undefined;

test('the reply to a fetch on a stream contains payloads, the metadata of the fetch, and the remaining allowances', async t => {
  const { ask, id, quota } = await opened(t);
  const [reply] = await ask({ fetch: fetchOf(['1.2.3.4:27015', 'here']) });
  assert.equal(reply?.outcome, 'fetched');
  const { _meta: meta, ...servers } = JSON.parse(String(reply?.fetched?.body));
  assert.deepEqual(
    Object.entries<{ _updater: { status: string } }>(servers).map(([server, { _updater }]) => [
      server,
      _updater.status,
    ]),
    [
      ['1.2.3.4:27015', 'pending'],
      ['here', 'invalid'],
    ],
  );
  assert.deepEqual(meta.inserted_servers, [{ game_id: 'csgo', server: '1.2.3.4:27015' }]);
  assert.equal(meta.invalid_servers[0].reason, 'malformed_address');
  assert.deepEqual(reply?.allowances[0], {
    policy: 'day',
    limit: 1440,
    remaining: 1439,
    windowSeconds: 86_400,
    resetSeconds: 86_400,
  });
  assert.equal(quota.used(id), 1);
});

test('a reply with at most 128 known servers is gzip if the call accepts gzip and these servers were fetched before', async t => {
  const { ask } = await opened(t);
  const addresses = Array.from({ length: 129 }, (_, i) => `1.2.3.4:${27_015 + i}`);
  const all = { fetch: fetchOf(addresses) };
  const most = { fetch: fetchOf(addresses.slice(1)) };
  const gzippedOf = async (call: Omit<FetchCall, 'id'>) => (await ask(call))[0]?.fetched?.gzipped;
  await ask(all);
  assert.equal(await gzippedOf({ ...most, acceptGzip: true }), false, 'the first time');
  const [joined, plain] = await ask({ ...most, acceptGzip: true }, { ...most, acceptGzip: false });
  assert.deepEqual([joined?.fetched?.gzipped, plain?.fetched?.gzipped], [true, false]);
  assert.deepEqual(gunzipSync(joined?.fetched?.body ?? ''), plain?.fetched?.body);
  assert.deepEqual(joined?.fetched?.tag, plain?.fetched?.tag);
  assert.deepEqual(joined?.allowances.length, plain?.allowances.length);
  for (let i = 0; i < 3; i++) assert.equal(await gzippedOf({ ...all, acceptGzip: true }), false);
  // A fetch with an invalid pair can still be gzip. A fetch that inserts a server cannot.
  const invalid = { fetch: fetchOf([...addresses.slice(2), 'here']), acceptGzip: true };
  assert.equal(await gzippedOf(invalid), true);
  const inserted = { fetch: fetchOf(['1.2.3.5:27015']), acceptGzip: true };
  const seen: unknown[] = [];
  for (let i = 0; i < 2; i++) seen.push(await gzippedOf(inserted));
  assert.deepEqual(seen, [false, true]);
});

test('replies that are ready in one turn of the event loop are sent in messages of eight, each with the id of its call', async t => {
  const { ask, inbox } = await opened(t);
  const replies = await ask(...Array.from({ length: 20 }, () => ({ check: {} })));
  assert.deepEqual(
    replies.map(({ id, outcome }) => [id, outcome]),
    Array.from({ length: 20 }, (_, i) => [i + 1, 'checked']),
  );
  assert.deepEqual(
    inbox.messages.map(({ replies }) => replies.length),
    [8, 8, 4],
  );
});

test('a call on a stream that waits for a probe does not delay other calls on this stream', async t => {
  const { stream, inbox, replies, joinProber } = await opened(t);
  stream.write({ calls: [{ id: 1, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  stream.write({ calls: [{ id: 2, fetch: fetchOf(['5.6.7.8:27015']) }] });
  await inbox.until(() => replies().length === 1);
  assert.equal(replies()[0]?.id, 2);
  joinProber();
  await inbox.until(() => replies().length === 2);
  const body = JSON.parse(String(replies()[1]?.fetched?.body));
  assert.equal(body['1.2.3.4:27015']._updater.status, 'online');
});

test('a CheckAccess call does not count against the daily quota', async t => {
  const { ask, id, quota } = await opened(t);
  const [reply] = await ask({ check: {} });
  assert.equal(reply?.outcome, 'checked');
  assert.equal(reply?.allowances[0]?.remaining, FREE_DAY_QUOTA);
  assert.equal(quota.used(id), 0);
});

test('if a call on a stream contains credentials, they replace the credentials of the stream for this call', async t => {
  const { ask, token, quota, id } = await opened(t);
  const { id: otherId, metadata } = await token({ tier: 'PRO', email: 'bob@example.com' });
  const other = {
    token: String(metadata.get(credentialKeys.token)[0]),
    tier: 'PRO',
    email: 'bob@example.com',
  };
  const fetch = fetchOf(['1.2.3.4:27015']);
  const [own, streams, none] = await ask(
    { fetch, credentials: other },
    { fetch },
    { fetch, credentials: { token: '', tier: '', email: '' } },
  );
  assert.deepEqual([own?.outcome, streams?.outcome, errorOf(none)?.code], ['fetched', 'fetched', 'AUTH_1']);
  assert.deepEqual([quota.used(otherId), quota.used(id)], [1, 1]);
  assert.deepEqual(none?.allowances, []);
});

for (const trusted of [true, false]) {
  test(`the caller address in a call is ${trusted ? 'accepted' : 'ignored'} on a port that is ${trusted ? '' : 'not '}trusted`, async t => {
    const { token, client } = await runningCore(t, { trusted });
    const { metadata } = await token({ allowIps: ['198.51.100.0/24'] });
    const stream = client.server.fetchStream(metadata);
    t.after(() => stream.cancel());
    const inbox = new Inbox<FetchStreamResponse__Output>(stream);
    stream.write({ calls: [{ id: 1, check: {}, caller: { address: '198.51.100.7', domain: '' } }] });
    await inbox.until(messages => messages.length === 1);
    const [reply] = inbox.messages[0]?.replies ?? [];
    assert.equal(errorOf(reply)?.code, trusted ? undefined : 'AUTH_4');
  });
}

test('if a call on a stream specifies no caller, the address of the peer is the address of the caller', async t => {
  const { client, token } = await runningCore(t);
  const { metadata } = await token({ allowIps: ['127.0.0.1'] });
  const stream = client.server.fetchStream(metadata);
  t.after(() => stream.cancel());
  const inbox = new Inbox<FetchStreamResponse__Output>(stream);
  stream.write({ calls: [{ id: 1, check: {} }] });
  await inbox.until(messages => messages.length === 1);
  assert.equal(inbox.messages[0]?.replies[0]?.outcome, 'checked');
});

test('a fetch of more than 1000 addresses gets POST_3 and the remaining allowances, and does not count against the quota', async t => {
  const { ask, id, quota, store } = await opened(t);
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

test('a fetch beyond the daily quota gets QUOTA_1 with the quota and its usage, and inserts no server', async t => {
  const { ask, id, quota, store } = await opened(t);
  for (let i = 0; i < FREE_DAY_QUOTA; i++) quota.charge(id);
  const [reply] = await ask({ fetch: fetchOf(['1.2.3.4:27015']) });
  assert.deepEqual(errorOf(reply)?.details, {
    retryAfterSeconds: 86_400,
    facts: { quota: '1440', used: '1440' },
  });
  assert.equal(reply?.allowances[0]?.remaining, 0);
  assert.equal(store.stats().tracked, 0);
});

test('an unexpected error in one call of a stream is logged and becomes INTERNAL_1; the stream stays open for other calls', async t => {
  const { ask, store, track, defects } = await opened(t);
  await track('1.2.3.4:27015');
  t.mock.method(store, 'insertIfAbsent', () => Promise.reject(new Error('the store is out of its mind')));
  const [broken] = await ask({ fetch: fetchOf(['5.6.7.8:27015']) });
  const error = errorOf(broken);
  assert.equal(error?.code, 'INTERNAL_1');
  assert.doesNotMatch(error?.message ?? '', /store|Database/);
  assert.deepEqual(
    defects.map(({ method, error }) => [method, /out of its mind/.test(String(error))]),
    [['FetchStream', true]],
  );
  const [known] = await ask({ fetch: fetchOf(['1.2.3.4:27015']) });
  assert.equal(known?.outcome, 'fetched');
});

test('a stream immediately refuses calls beyond 1024 in flight, and accepts calls again after replies were sent', async t => {
  const { stream, inbox, replies, joinProber, ask } = await opened(t);
  const calls = Array.from({ length: 1100 }, (_, i) => ({
    id: i + 1,
    fetch: fetchOf([`1.2.3.4:${20_000 + i}`], LONG_MS),
  }));
  stream.write({ calls: calls.slice(0, 600) });
  stream.write({ calls: calls.slice(600) });
  await inbox.until(() => replies().length === 76);
  for (const reply of replies()) {
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

test('if the replies of one turn of the event loop are large, they are split into several messages', async t => {
  const { inbox, replies, track, joinProber, store, ask } = await opened(t);
  await track('1.2.3.4:27015');
  joinProber('x'.repeat(20 * 1024));
  while (store.stats().online === 0) await new Promise(setImmediate);
  await ask(...Array.from({ length: 10 }, () => ({ fetch: fetchOf(['1.2.3.4:27015']) })));
  assert.equal(replies().length, 10);
  // Four replies of this size fill one message.
  assert.deepEqual(
    inbox.messages.map(message => message.replies.length),
    [4, 4, 2],
  );
});

test('if one message contains more than 1024 calls, the stream ends with CORE_1', async t => {
  const { stream, inbox, replies } = await opened(t);
  stream.write({ calls: Array.from({ length: 1025 }, (_, i) => ({ id: i + 1, check: {} })) });
  assert.equal((await inbox.over)?.ours?.code, 'CORE_1');
  assert.deepEqual(replies(), []);
});

test('if a caller half-closes its stream, it receives all replies, and then the stream ends with OK', async t => {
  const { stream, inbox, replies, joinProber, defects } = await opened(t);
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
  const { stream, inbox, replies, joinProber, closing, ask } = await opened(t);
  await ask({ check: {} });
  stream.write({ calls: [{ id: 7, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  // Calls are answered in order. Therefore the reply to call 8 shows that call 7 has started.
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

test('calls that arrive after the core began to shut down are neither answered nor charged', async t => {
  const { stream, inbox, replies, joinProber, closing, ask, quota, id } = await opened(t);
  await ask({ check: {} });
  stream.write({ calls: [{ id: 7, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  stream.write({ calls: [{ id: 8, check: {} }] });
  await inbox.until(() => replies().length === 2);
  closing.abort();
  stream.write({ calls: [{ id: 9, fetch: fetchOf(['1.2.3.4:27015']) }] });
  // The end of the stream reaches the core after the calls.
  stream.end();
  joinProber();
  assert.equal(await inbox.over, undefined);
  assert.equal(replies().at(-1)?.id, 7);
  assert.equal(quota.used(id), 1);
});

test('a call that the gateway queued while the core was unavailable does not count towards the burst limit on a trusted port', async t => {
  for (const trusted of [true, false]) {
    const { ask } = await opened(t, { trusted, burstLimit: 2 });
    const calls = Array.from({ length: 4 }, () => ({ check: {}, held: true }));
    const refused = (await ask(...calls)).filter(({ error }) => error).length;
    assert.equal(refused, trusted ? 0 : 2);
  }
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
  const { stream, inbox, store, joinProber, client, token, defects } = await opened(t);
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
