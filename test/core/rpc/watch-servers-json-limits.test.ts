import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { test } from 'node:test';
import type { ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { gsqV1 } from '../../../proto/descriptors.ts';
import { destroySession } from '../../http2-session.ts';
import { Inbox } from './answer.ts';
import { ADDRESS, opened } from './opened-json-watch.ts';
import { framed, headers, outcome } from './public-server.ts';

test('WatchServersJson and WatchServers share one limit of 20 open streams for each token', async t => {
  const { open, client, token, quota } = await opened(t);
  const { metadata, id } = await token();
  const watches = Array.from({ length: 10 }, () => open({ game: 'csgo' }, metadata));
  for (const each of watches) await each.until(1);
  for (let n = 0; n < 10; n++) {
    const inbox = new Inbox(client.server.watchServers({}, metadata));
    await inbox.until(messages => messages.length === 1);
  }
  const end = await open({ game: 'csgo' }, metadata).inbox.over;
  assert.equal(end?.ours?.code, 'RATE_1');
  assert.equal(quota.used(id), 20);
});

test('WatchServersJson and WatchServers first send the remaining quota, and a refused WatchServersJson call also gets the quota', async t => {
  const { client, token, track } = await opened(t);
  const { metadata } = await token();
  await track(ADDRESS);
  const quotaOf = async (call: ClientReadableStream<unknown>): Promise<string> => {
    const [received] = (await once(call, 'metadata')) as [Metadata];
    return String(received.get('ratelimit')[0]);
  };
  const request = { server: [`csgo/${ADDRESS}`] };
  for (let n = 1; n <= 20; n++) {
    const isJson = n % 2 === 0;
    const { server } = client;
    const call = isJson ? server.watchServersJson(request, metadata) : server.watchServers({}, metadata);
    call.on('error', () => {});
    assert.match(await quotaOf(call), new RegExp(`^"day";r=${1440 - n};t=\\d+$`));
  }
  const refused = client.server.watchServersJson(request, metadata);
  const end = new Inbox(refused).over;
  assert.match(await quotaOf(refused), /^"day";r=1420;/);
  assert.equal((await end)?.ours?.code, 'RATE_1');
});

test('if a caller stops reading its stream of events, this stream ends with the error CORE_1, and other streams continue', async t => {
  const { address, open, track, pro } = await opened(t, 10);
  await track(...Array.from({ length: 2_000 }, (_, i) => `1.2.3.4:${10_000 + i}`));
  const session = connect(`http://${address}`);
  t.after(() => destroySession(session));
  const { path } = gsqV1.ServerService.service.WatchServersJson;
  const request = gsqV1.WatchServersJsonRequest.serialize({ game: 'csgo' });
  const credentials = Object.fromEntries(
    Object.entries(pro.metadata.getMap()).map(([key, value]) => [key, String(value)]),
  );
  const stream = session.request(headers(path, credentials));
  stream.end(framed(request));
  await new Promise(resolve => stream.once('response', resolve));
  const other = open({ server: [`csgo/${ADDRESS}`] });
  await other.until(20);
  const end = await outcome(stream);
  assert.deepEqual([end.code, end.error?.code], ['UNAVAILABLE', 'CORE_1']);
  await other.until(other.inbox.messages.length + 1);
});
