import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { WatchServersResponse__Output } from '../../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { Inbox } from './answer.ts';
import { runningCore } from './running-core.ts';

const ADDRESS = '1.2.3.4:27015';
const KEY = `csgo ${ADDRESS}`;

/** Starts a core. `watch` opens a stream of the visible changes of servers, by default of the server at ADDRESS. */
async function watched(t: Parameters<typeof runningCore>[0], heartbeatMs?: number) {
  const core = await runningCore(t, heartbeatMs === undefined ? {} : { heartbeatMs });
  const { metadata, id } = await core.token();
  const watch = (resumeToken = '', servers = [{ gameId: 'csgo', servers: [ADDRESS] }]) => {
    const call = core.client.server.watchServers({ servers, onlyChanges: true, resumeToken }, metadata);
    const inbox = new Inbox<WatchServersResponse__Output>(call);
    return { inbox, cancel: () => call.cancel() };
  };
  /**
   * Makes the server at ADDRESS due for a probe. Waits until a prober has probed it and reported `name` as its name.
   */
  const probe = async (name: string): Promise<void> => {
    const leave = core.joinProber(name);
    core.store.hasten(KEY, core.clock.at);
    const version = core.store.getMany([KEY])[0]?.version ?? 0;
    core.dispatcher.wake();
    while ((core.store.getMany([KEY])[0]?.version ?? 0) <= version) await new Promise(setImmediate);
    leave();
  };
  return { ...core, metadata, id, watch, probe };
}

const seen = ({ event, snapshot, change }: WatchServersResponse__Output) =>
  event === 'change' ? change?.payload?.name : event === 'snapshot' ? snapshot?.results.length : event;

test('WatchServers with only_changes sends a message after a probe only if a visible field has changed', async t => {
  const { watch, probe, closing } = await watched(t);
  const { inbox } = watch('', [
    { gameId: 'csgo', servers: [ADDRESS] },
    { gameId: 'oldcsgo', servers: [ADDRESS, 'nonsense'] },
  ]);
  await inbox.until(messages => messages.length === 1);
  await probe('One');
  await probe('One');
  await probe('Two');
  await inbox.until(messages => messages.length === 5);
  assert.deepEqual(inbox.messages.map(seen), [3, 'One', 'One', 'Two', 'Two']);
  assert.deepEqual(
    inbox.messages.slice(1).map(({ change }) => change?.gameId),
    ['csgo', 'oldcsgo', 'csgo', 'oldcsgo'],
  );
  closing.abort();
  assert.equal(await inbox.over, undefined);
});

test('WatchServers with a resume token sends the newest state of each changed server, and no snapshot', async t => {
  const { watch, probe } = await watched(t);
  const first = watch();
  await first.inbox.until(messages => messages.length === 1);
  await probe('One');
  await first.inbox.until(messages => messages.length === 2);
  const [snapshot, one] = first.inbox.messages;
  first.cancel();
  await first.inbox.over;
  await probe('Two');
  await probe('Three');

  const { inbox } = watch(one?.resumeToken);
  await inbox.until(messages => messages.length === 1);
  await probe('Four');
  await inbox.until(messages => messages.length === 2);
  assert.deepEqual(inbox.messages.map(seen), ['Three', 'Four']);

  const older = watch(snapshot?.resumeToken);
  await older.inbox.until(messages => messages.length === 1);
  assert.deepEqual(older.inbox.messages.map(seen), ['Four']);
});

test('WatchServers sends each change of a server twice if the request contains the server under two game ids, also after a resume', async t => {
  const { watch, probe } = await watched(t);
  const servers = [
    { gameId: 'csgo', servers: [ADDRESS] },
    { gameId: 'oldcsgo', servers: [ADDRESS] },
  ];
  const { inbox } = watch('', servers);
  await inbox.until(messages => messages.length === 1);
  await probe('One');
  await inbox.until(messages => messages.length === 3);
  const resumed = watch(inbox.messages[1]?.resumeToken, servers);
  await resumed.inbox.until(messages => messages.length === 2);
  assert.deepEqual(resumed.inbox.messages.map(seen), ['One', 'One']);
});

test('WatchServers begins with a snapshot if the resume token is invalid or comes from an earlier run of the core', async t => {
  const { watch } = await watched(t);
  const other = await watched(t);
  const foreign = other.watch();
  await foreign.inbox.until(messages => messages.length === 1);
  for (const token of [foreign.inbox.messages[0]?.resumeToken ?? '', 'nonsense']) {
    const { inbox } = watch(token);
    await inbox.until(messages => messages.length === 1);
    assert.deepEqual(inbox.messages.map(seen), [1]);
  }
});

test('WatchServers refuses a resume token without only_changes', async t => {
  const { client, token } = await runningCore(t);
  const { metadata } = await token();
  const call = client.server.watchServers({ resumeToken: 'x' }, metadata);
  const end = await new Inbox<WatchServersResponse__Output>(call).over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.INVALID_ARGUMENT, 'QUERY_1']);
});

test('when a server changes that the caller does not follow, the heartbeats of WatchServers contain a newer resume token', async t => {
  const { watch, feed, store, track, probe } = await watched(t, 5);
  const { inbox } = watch();
  await inbox.until(messages => messages.some(({ event }) => event === 'heartbeat'));
  await track('9.9.9.9:27015');
  const newest = `${feed.id}.${feed.sequence.toString(36)}`;
  await inbox.until(messages => messages.at(-1)?.resumeToken === newest);
  const last = inbox.messages.at(-1);
  assert.equal(last?.event, 'heartbeat');
  await probe('One');
  const resumed = watch(last?.resumeToken);
  await resumed.inbox.until(messages => messages.some(({ event }) => event === 'change'));
  assert.deepEqual(
    resumed.inbox.messages.map(seen).filter(each => each !== 'heartbeat'),
    ['One'],
  );
  assert.equal(store.stats().tracked, 2);
});

test('WatchServers reports that a server was removed, and reports the server again after a new insert', async t => {
  const { watch, store, track } = await watched(t);
  const { inbox } = watch();
  await inbox.until(messages => messages.length === 1);
  await store.remove([KEY]);
  await inbox.until(messages => messages.length === 2);
  await track(ADDRESS);
  await inbox.until(messages => messages.length === 3);
  assert.deepEqual(
    inbox.messages.slice(1).map(({ change }) => change?.updater?.status),
    ['SERVER_STATUS_INVALID', 'SERVER_STATUS_PENDING'],
  );
  assert.match(inbox.messages[1]?.change?.message ?? '', /no longer tracked/);
});

test('WatchServers without only_changes sends a message after every probe, and no resume tokens', async t => {
  const { client, metadata, probe } = await watched(t);
  const call = client.server.watchServers({ servers: [{ gameId: 'csgo', servers: [ADDRESS] }] }, metadata);
  const inbox = new Inbox<WatchServersResponse__Output>(call);
  await inbox.until(messages => messages.length === 1);
  await probe('One');
  await inbox.until(messages => messages.length === 2);
  await probe('One');
  await inbox.until(messages => messages.length === 3);
  assert.deepEqual(inbox.messages.map(seen), [1, 'One', 'One']);
  assert.ok(inbox.messages.every(({ resumeToken }) => resumeToken === ''));
});
