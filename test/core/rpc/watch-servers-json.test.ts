import assert from 'node:assert/strict';
import { test } from 'node:test';
import { status } from '@grpc/grpc-js';
import type { HttpBody__Output } from '../../../proto/generated/google/api/HttpBody.ts';
import type { WatchServersJsonRequest } from '../../../proto/generated/gsq/v1/WatchServersJsonRequest.ts';
import { unary } from './answer.ts';
import { ADDRESS, type Line, type Listed, opened } from './opened-json-watch.ts';

const OTHER = '9.9.9.9:27015';

test('WatchServersJson sends a snapshot of named servers, then changes, and inserts no server', async t => {
  const { open, track, probeAll, store } = await opened(t);
  await track(ADDRESS);
  const stream = open({ server: [`csgo/${ADDRESS}`, `css/${OTHER}`, `oldcsgo/1.2.3.4:027015`] });
  const [snapshot] = await stream.until(1);
  assert.ok(snapshot?.event === 'snapshot');
  assert.deepEqual(
    snapshot.data.servers.map(({ game_id, server, tracked, _updater }) => [
      game_id,
      server,
      tracked ?? _updater?.status,
    ]),
    [
      ['csgo', ADDRESS, 'pending'],
      ['css', OTHER, false],
    ],
  );
  assert.equal(snapshot.data.more, false);
  assert.equal(store.stats().tracked, 1);
  await probeAll('One');
  const [, change] = await stream.until(2);
  assert.ok(change?.event === 'change');
  assert.deepEqual(
    [change.data.game_id, change.data.server, change.data.name, change.data._updater?.status],
    ['csgo', ADDRESS, 'One', 'online'],
  );
  await store.insertIfAbsent([{ gameId: 'css', address: OTHER, insertedBy: 'admin' }]);
  await store.remove([`css ${OTHER}`]);
  const last = (await stream.until(4)).slice(2).map(({ data }) => data as Listed);
  assert.deepEqual(
    last.map(({ tracked, _updater }) => tracked ?? _updater?.status),
    ['pending', false],
  );
});

test('a change event that WatchServersJson sends contains the same payload of the server as the answer to a fetch', async t => {
  const { open, track, probeAll, client, pro } = await opened(t);
  await track(ADDRESS);
  const stream = open({ server: [`csgo/${ADDRESS}`] });
  await stream.until(1);
  await probeAll('One ☃ "quoted"');
  await stream.until(2);
  const fetched = await unary<HttpBody__Output>(done =>
    client.server.fetchServersJson({ servers: [{ gameId: 'csgo', servers: [ADDRESS] }] }, pro.metadata, done),
  );
  const payload = /^\{"1.2.3.4:27015":\{(.*)\},"_meta"/.exec(fetched.data.toString())?.[1];
  assert.ok(payload);
  const line = stream.inbox.messages[1]?.data.toString() ?? '';
  assert.ok(line.includes(`{"game_id":"csgo","server":"${ADDRESS}",${payload}}`), line);
});

test('WatchServersJson follows all servers of a game, and splits the snapshot of a large game', async t => {
  const { open, store, track, probeAll } = await opened(t);
  const addresses = Array.from({ length: 450 }, (_, i) => `1.2.3.4:${10_000 + i}`);
  await track(...addresses);
  await store.insertIfAbsent([{ gameId: 'css', address: OTHER, insertedBy: 'admin' }]);
  const stream = open({ game: 'oldcsgo' });
  await stream.inbox.until(() => stream.lines().some(({ id }) => id !== ''));
  const snapshots = stream.lines().flatMap(line => (line.event === 'snapshot' ? [line] : []));
  assert.ok(snapshots.length > 1);
  assert.deepEqual(
    snapshots.map(({ id, data }) => [id !== '', data.more]),
    snapshots.map((_, i) => [i === snapshots.length - 1, i < snapshots.length - 1]),
  );
  assert.deepEqual(
    snapshots.flatMap(({ data }) => data.servers.map(({ server }) => server)),
    addresses,
  );
  await probeAll('One');
  const changed = (await stream.until(snapshots.length + addresses.length)).slice(snapshots.length);
  assert.deepEqual(new Set(changed.map(({ data }) => (data as Listed).server)), new Set(addresses));
});

test('with a FREE token, WatchServersJson of a whole game shows only the servers that this token inserted', async t => {
  const { open, store, track, token, probeAll } = await opened(t);
  const free = await token();
  await track(OTHER);
  await store.insertIfAbsent([{ gameId: 'csgo', address: ADDRESS, insertedBy: free.id }]);
  const game = open({ game: 'csgo' }, free.metadata);
  const named = open({ server: [`csgo/${OTHER}`] }, free.metadata);
  await Promise.all([game.until(1), named.until(1)]);
  await probeAll('One');
  await store.remove([`csgo ${OTHER}`, `csgo ${ADDRESS}`]);
  await Promise.all([game.until(3), named.until(3)]);
  const servers = (lines: Line[]) =>
    lines.flatMap(({ data }) => ('servers' in data ? (data.servers as Listed[]) : [data as Listed]));
  assert.deepEqual(
    servers(game.lines()).map(({ server }) => server),
    [ADDRESS, ADDRESS, ADDRESS],
  );
  assert.deepEqual(
    servers(named.lines()).map(({ server }) => server),
    [OTHER, OTHER, OTHER],
  );
});

test('WatchServersJson resumes after the event whose id the request contains, for named servers and for a game', async t => {
  const { open, track, probeAll, store } = await opened(t);
  await track(ADDRESS, OTHER);
  const requests = [{ server: [`csgo/${ADDRESS}`, `csgo/${OTHER}`] }, { game: 'csgo' }];
  const ids: string[] = [];
  for (const request of requests) {
    const stream = open(request);
    const [line] = await stream.until(1);
    ids.push(line?.id ?? '');
    stream.cancel();
    await stream.inbox.over;
  }
  await probeAll('One');
  await probeAll('Two');
  await store.remove([`csgo ${OTHER}`]);
  for (const [i, request] of requests.entries()) {
    const lines = await open({ ...request, resumeToken: ids[i] ?? '' }).until(2);
    assert.deepEqual(
      lines.map(({ event, data }) => [event, (data as Listed).name ?? (data as Listed).tracked]),
      [
        ['change', 'Two'],
        ['change', false],
      ],
    );
  }
});

test('WatchServersJson sends heartbeats that have the id of the last change', async t => {
  const { open, track } = await opened(t, 5);
  await track(ADDRESS);
  const [snapshot, heartbeat] = await open({ server: [`csgo/${ADDRESS}`] }).until(2);
  assert.deepEqual(heartbeat, { event: 'heartbeat', id: snapshot?.id, data: {} });
});

test('WatchServersJson refuses an invalid request, and the error lists each invalid field', async t => {
  const { open } = await opened(t);
  const faults = async (request: WatchServersJsonRequest) => {
    const end = await open(request).inbox.over;
    assert.deepEqual([end?.code, end?.ours?.code], [status.INVALID_ARGUMENT, 'QUERY_1']);
    return end?.ours?.details.violations?.map(({ path }) => path);
  };
  assert.deepEqual(await faults({}), ['server']);
  assert.deepEqual(await faults({ server: [`csgo/${ADDRESS}`], game: 'csgo' }), ['server']);
  assert.deepEqual(await faults({ game: 'nothing' }), ['game']);
  assert.deepEqual(await faults({ server: Array.from({ length: 1001 }, () => `csgo/${ADDRESS}`) }), [
    'server',
  ]);
  const server = [`csgo/${ADDRESS}`, ADDRESS, `nothing/${ADDRESS}`, 'csgo/1.2.3.4', 'csgo/"\n'];
  assert.deepEqual(await faults({ server }), ['server[1]', 'server[2]', 'server[3]', 'server[4]']);
});
