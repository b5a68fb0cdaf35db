import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import { MAX_RENDERED } from '../../../core/cluster/parts/render-stream.ts';
import { clients, internalMetadata } from '../../../proto/clients.ts';
import type { RenderServersResponse__Output } from '../../../proto/generated/gsq/v1/RenderServersResponse.ts';
import { Inbox } from '../rpc/answer.ts';
import { openCluster, SECRET } from './cluster-core.ts';

/** Starts two cores, and a RenderServers stream to the first of them. */
async function opened(t: TestContext, metadata: Metadata = internalMetadata(SECRET)) {
  const world = await openCluster(t, 2);
  const client = clients.cluster(world.at(0).address);
  t.after(() => client.close());
  const stream = client.renderServers(metadata);
  t.after(() => stream.cancel());
  return { ...world, stream, inbox: new Inbox<RenderServersResponse__Output>(stream) };
}

test('RenderServers refuses a call without the internal secret', async t => {
  const { inbox } = await opened(t, internalMetadata('another secret of this test'));
  assert.equal((await inbox.over)?.ours?.code, 'AUTH_5');
});

test('RenderServers renders only tracked servers that the core owns', async t => {
  const { at, addressOf, stream, inbox, cluster } = await opened(t);
  const [own, foreign, unknown, lost] = [addressOf(0), addressOf(1), addressOf(0, 1), addressOf(0, 2)];
  await at(0).fetch.fetch([{ gameId: 'csgo', servers: [own, foreign, lost] }], 'tok_1', 0);
  // Core 0 no longer owns the server with the address `lost`, but still has its data in memory.
  cluster.setOwner(`csgo ${lost}`, undefined);
  cluster.tellAll();
  stream.write({ servers: [{ gameId: 'csgo', servers: [own, foreign, unknown, lost] }] });
  stream.write({ typed: true, servers: [{ gameId: 'csgo', servers: [own] }] });
  await inbox.until(() => inbox.messages.length === 2);
  const [json, typed] = inbox.messages.map(({ servers }) => servers);
  assert.deepEqual(
    inbox.messages.map(({ tags }) => tags.length),
    [4 * 8, 0],
  );
  assert.match(String(json?.[0]), /^{"message":.*"status":"pending".*}$/);
  assert.deepEqual(
    json?.slice(1).map(each => each.length),
    [0, 0, 0],
  );
  assert.ok((typed?.[0]?.length ?? 0) > 0);
  assert.notDeepEqual(typed?.[0], json?.[0]);
});

test('RenderServers ends with an error if a request has too many servers', async t => {
  const { stream, inbox } = await opened(t);
  const servers = Array.from({ length: MAX_RENDERED + 1 }, () => '1.2.3.4:1');
  stream.write({ servers: [{ gameId: 'csgo', servers }] });
  const end = await inbox.over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.INVALID_ARGUMENT, 'GRPC_1']);
});

test('a core that shuts down ends its RenderServers streams to other cores', async t => {
  const { at, stream, inbox } = await opened(t);
  stream.write({ servers: [{ gameId: 'csgo', servers: ['1.2.3.4:1'] }] });
  await inbox.until(() => inbox.messages.length === 1);
  at(0).closing.abort();
  assert.equal(await inbox.over, undefined);
});
