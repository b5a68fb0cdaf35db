import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import type { WatchServersResponse__Output } from '../../../proto/generated/gsq/v1/WatchServersResponse.ts';
import { Inbox } from './answer.ts';
import { runningCore } from './running-core.ts';

const csgo = (...servers: string[]) => ({ servers: [{ gameId: 'csgo', servers }] });

test('WatchServers sends a snapshot, then changes; a server with two game ids in the request appears under both', async t => {
  const { client, token, track, joinProber, quota, closing } = await runningCore(t);
  const { id, metadata } = await token();
  await track('9.9.9.9:27015');
  const request = {
    servers: [
      { gameId: 'csgo', servers: ['1.2.3.4:27015'] },
      { gameId: 'oldcsgo', servers: ['1.2.3.4:27015'] },
    ],
  };
  const inbox = new Inbox<WatchServersResponse__Output>(client.server.watchServers(request, metadata));
  await inbox.until(messages => messages.length === 1);
  assert.deepEqual(
    inbox.messages[0]?.snapshot?.results.map(({ gameId, updater }) => [gameId, updater?.status]),
    [
      ['csgo', 'SERVER_STATUS_PENDING'],
      ['oldcsgo', 'SERVER_STATUS_PENDING'],
    ],
  );
  joinProber();
  await inbox.until(messages => messages.length === 3);
  assert.deepEqual(
    inbox.messages.slice(1).map(({ change }) => [change?.gameId, change?.server, change?.updater?.status]),
    [
      ['csgo', '1.2.3.4:27015', 'SERVER_STATUS_ONLINE'],
      ['oldcsgo', '1.2.3.4:27015', 'SERVER_STATUS_ONLINE'],
    ],
  );
  assert.equal(quota.used(id), 1);
  closing.abort();
  assert.equal(await inbox.over, undefined);
});

test('a token can have twenty open watch streams; a further stream is refused, and uses no daily quota', async t => {
  const { client, token, quota } = await runningCore(t);
  const greedy = await token();
  const modest = await token();
  const open = async (metadata: Metadata) => {
    const call = client.server.watchServers(csgo('1.2.3.4:27015'), metadata);
    const inbox = new Inbox<WatchServersResponse__Output>(call);
    await Promise.race([inbox.until(messages => messages.length === 1), inbox.over]);
    return { call, inbox, watches: inbox.messages.length === 1 };
  };
  const all = await Promise.all(Array.from({ length: 20 }, () => open(greedy.metadata)));
  assert.ok(all.every(({ watches }) => watches));
  const end = await (await open(greedy.metadata)).inbox.over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.RESOURCE_EXHAUSTED, 'RATE_1']);
  assert.equal(quota.used(greedy.id), 20);
  assert.ok((await open(modest.metadata)).watches);
  const [first] = all;
  first?.call.cancel();
  await first?.inbox.over;
  while (!(await open(greedy.metadata)).watches) await new Promise(setImmediate);
});

test('if the caller of a watch stream cancels it, no internal error is logged', async t => {
  const { client, token, joinProber, store, defects } = await runningCore(t);
  const { metadata } = await token();
  const call = client.server.watchServers(csgo('1.2.3.4:27015'), metadata);
  const inbox = new Inbox<WatchServersResponse__Output>(call);
  await inbox.until(messages => messages.length === 1);
  call.cancel();
  assert.equal((await inbox.over)?.code, status.CANCELLED);
  joinProber();
  while (store.stats().online === 0) await new Promise(setImmediate);
  assert.deepEqual(defects, []);
});
