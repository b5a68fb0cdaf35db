import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import { Inbox } from './answer.ts';
import { errorOf, fetchOf, openedStream } from './opened-stream.ts';
import { runningCore } from './running-core.ts';

const ADDRESS = '1.2.3.4:27015';
const servers = [{ gameId: 'csgo', servers: [ADDRESS] }];

type Core = Awaited<ReturnType<typeof runningCore>>;

/**
 * Methods, keyed by name, whose streams stay open until the caller ends them. The core sends the first message on each
 * stream immediately.
 */
const streams: Record<string, (core: Core, metadata: Metadata) => Inbox<unknown>> = {
  'WatchServers of every probe': ({ client }, metadata) =>
    new Inbox(client.server.watchServers({ servers }, metadata)),
  'WatchServers with only_changes': ({ client }, metadata) =>
    new Inbox(client.server.watchServers({ servers, onlyChanges: true }, metadata)),
  'WatchServersJson of a server': ({ client }, metadata) =>
    new Inbox(client.server.watchServersJson({ server: [`csgo/${ADDRESS}`] }, metadata)),
  'WatchServersJson of a game': ({ client }, metadata) =>
    new Inbox(client.server.watchServersJson({ game: 'csgo' }, metadata)),
};

/** Opens a stream with a new token of the tier FREE, and waits for its first message. */
async function opened(t: TestContext, open: (core: Core, metadata: Metadata) => Inbox<unknown>) {
  const core = await runningCore(t);
  const { id, metadata } = await core.token();
  const inbox = open(core, metadata);
  await inbox.until(messages => messages.length === 1);
  return { ...core, id, inbox };
}

for (const [name, open] of Object.entries(streams)) {
  test(`the stream of ${name} ends with AUTH_3 when the token of its caller is revoked, and sends nothing after that`, async t => {
    const { tokenService, id, inbox, joinProber, store, defects } = await opened(t, open);
    await tokenService.revoke(id);
    const end = await inbox.over;
    assert.deepEqual([end?.code, end?.ours?.code], [status.UNAUTHENTICATED, 'AUTH_3']);
    await store.insertIfAbsent([{ gameId: 'csgo', address: ADDRESS, insertedBy: 'admin' }]);
    joinProber();
    while (store.stats().online === 0) await new Promise(setImmediate);
    assert.equal(inbox.messages.length, 1);
    assert.deepEqual(defects, []);
  });

  test(`the stream of ${name} ends with AUTH_4 when the allow-list of the token no longer contains the address of the caller`, async t => {
    const { tokenService, id, inbox, joinProber, store } = await opened(t, open);
    await tokenService.allow(id, { ips: ['127.0.0.0/8'] });
    await store.insertIfAbsent([{ gameId: 'csgo', address: ADDRESS, insertedBy: id }]);
    joinProber();
    await Promise.race([inbox.until(messages => messages.length > 1), inbox.over]);
    assert.ok(inbox.messages.length > 1);
    await tokenService.allow(id, { ips: ['198.51.100.0/24'] });
    const end = await inbox.over;
    assert.deepEqual([end?.code, end?.ours?.code], [status.PERMISSION_DENIED, 'AUTH_4']);
  });
}

test('each fetch on a FetchStream checks the token again', async t => {
  const { ask, id, tokenService } = await openedStream(t);
  const fetch = fetchOf([ADDRESS]);
  const [before] = await ask({ fetch });
  assert.equal(before?.outcome, 'fetched');
  await tokenService.allow(id, { ips: ['198.51.100.0/24'] });
  const [excluded] = await ask({ fetch });
  assert.equal(errorOf(excluded)?.code, 'AUTH_4');
  await tokenService.revoke(id);
  const [after, check] = await ask({ fetch }, { check: {} });
  assert.deepEqual([errorOf(after)?.code, errorOf(check)?.code], ['AUTH_3', 'AUTH_3']);
});
