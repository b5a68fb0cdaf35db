import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { FetchCall } from '../../../proto/generated/gsq/v1/FetchCall.ts';
import { errorOf, fetchOf, LONG_MS, openedStream } from './opened-stream.ts';

test('the reply to a fetch on a stream contains payloads, the metadata of the fetch, and the remaining daily quota', async t => {
  const { ask, id, quota } = await openedStream(t);
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

test('the core compresses the reply to a repeated fetch of at most 128 tracked servers if the call accepts gzip', async t => {
  const { ask } = await openedStream(t);
  const addresses = Array.from({ length: 129 }, (_, i) => `1.2.3.4:${27_015 + i}`);
  const all = { fetch: fetchOf(addresses) };
  const most = { fetch: fetchOf(addresses.slice(1)) };
  const gzippedOf = async (call: Omit<FetchCall, 'id'>) => (await ask(call))[0]?.fetched?.gzipped;
  await ask(all);
  assert.equal(await gzippedOf({ ...most, acceptGzip: true }), false, 'the first time');
  const [gzipReply, plain] = await ask({ ...most, acceptGzip: true }, { ...most, acceptGzip: false });
  assert.deepEqual([gzipReply?.fetched?.gzipped, plain?.fetched?.gzipped], [true, false]);
  assert.deepEqual(gunzipSync(gzipReply?.fetched?.body ?? ''), plain?.fetched?.body);
  assert.deepEqual(gzipReply?.fetched?.tag, plain?.fetched?.tag);
  assert.deepEqual(gzipReply?.allowances.length, plain?.allowances.length);
  for (let i = 0; i < 3; i++) assert.equal(await gzippedOf({ ...all, acceptGzip: true }), false);
  // The core compresses the reply to a fetch even if an address is invalid, but not if the fetch inserts a server. The
  // test fetches a new server twice. Only the first fetch inserts the server, so only the second reply is compressed.
  const invalid = { fetch: fetchOf([...addresses.slice(2), 'here']), acceptGzip: true };
  assert.equal(await gzippedOf(invalid), true);
  const inserted = { fetch: fetchOf(['1.2.3.5:27015']), acceptGzip: true };
  const seen: unknown[] = [];
  for (let i = 0; i < 2; i++) seen.push(await gzippedOf(inserted));
  assert.deepEqual(seen, [false, true]);
});

test('a message on a fetch stream contains at most eight replies, and each reply has the id of its call', async t => {
  const { ask, inbox } = await openedStream(t);
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

test('a call that waits for a probe does not delay other calls on the same stream', async t => {
  const { stream, inbox, replies, joinProber } = await openedStream(t);
  stream.write({ calls: [{ id: 1, fetch: fetchOf(['1.2.3.4:27015'], LONG_MS) }] });
  stream.write({ calls: [{ id: 2, fetch: fetchOf(['5.6.7.8:27015']) }] });
  await inbox.until(() => replies().length === 1);
  assert.equal(replies()[0]?.id, 2);
  joinProber();
  await inbox.until(() => replies().length === 2);
  const body = JSON.parse(String(replies()[1]?.fetched?.body));
  assert.equal(body['1.2.3.4:27015']._updater.status, 'online');
});

test('an unexpected error in one call of a stream is logged and becomes INTERNAL_1; the stream stays open for other calls', async t => {
  const { ask, store, track, defects } = await openedStream(t);
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

test('a fetch stream sends ten replies of 20 KiB each in three messages', async t => {
  const { inbox, replies, track, joinProber, store, ask } = await openedStream(t);
  await track('1.2.3.4:27015');
  joinProber('x'.repeat(20 * 1024));
  while (store.stats().online === 0) await new Promise(setImmediate);
  await ask(...Array.from({ length: 10 }, () => ({ fetch: fetchOf(['1.2.3.4:27015']) })));
  assert.equal(replies().length, 10);
  // Each of the ten replies to fetches is larger than 20 KiB. One message to the gateway holds at most four such
  // replies. Therefore the core sends the ten replies in three messages.
  assert.deepEqual(
    inbox.messages.map(message => message.replies.length),
    [4, 4, 2],
  );
});
