import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Metadata, status } from '@grpc/grpc-js';
import { MAX_PART_CALLS } from '../../../core/cluster/parts/part-messages.ts';
import { clients, internalMetadata } from '../../../proto/clients.ts';
import type { FetchPartsResponse__Output } from '../../../proto/generated/gsq/v1/FetchPartsResponse.ts';
import { fromRpcStatus } from '../../../proto/service-error.ts';
import { failure, Inbox } from '../rpc/answer.ts';
import { openCluster, SECRET } from './cluster-core.ts';

/** Starts two cores. Opens a gRPC client for the ClusterService of the first core. */
async function opened(t: TestContext) {
  const world = await openCluster(t, 2);
  const client = clients.cluster(world.at(0).address);
  t.after(() => client.close());
  const open = (metadata: Metadata = internalMetadata(SECRET)) => {
    const stream = client.fetchParts(metadata);
    t.after(() => stream.cancel());
    const inbox = new Inbox<FetchPartsResponse__Output>(stream);
    const replies = () => inbox.messages.flatMap(message => message.replies);
    return { stream, inbox, replies, until: (count: number) => inbox.until(() => replies().length >= count) };
  };
  return { ...world, client, open };
}

const read = 'PART_ACTION_READ' as const;
const csgo = (...servers: string[]) => [{ gameId: 'csgo', servers }];

test('FetchParts and ChangeServers (calls between cores) refuse a call without the internal secret', async t => {
  const { client, open } = await opened(t);
  const other = internalMetadata('another secret of this test');
  assert.equal((await open(other).inbox.over)?.ours?.code, 'AUTH_5');
  assert.equal((await failure(done => client.changeServers({}, other, done))).ours?.code, 'AUTH_5');
});

test('FetchParts (calls between cores) inserts only servers that the called core owns, and reports other servers as `moved`', async t => {
  const { at, addressOf, open } = await opened(t);
  const { stream, replies, until } = open();
  const servers = csgo(addressOf(1), addressOf(0));
  const call = { id: 7, action: 'PART_ACTION_INSERT' as const, servers, insertedBy: 'tok_1' };
  stream.write({ calls: [call] });
  await until(1);
  assert.deepEqual(
    replies().map(({ id, servers: results }) => [
      id,
      results.map(({ moved, inserted, record }) => [moved, inserted, record.length > 0]),
    ]),
    [
      [
        7,
        [
          [true, false, false],
          [false, true, true],
        ],
      ],
    ],
  );
  assert.equal(at(0).store.stats().tracked, 1);
});

test('FetchParts (a call between cores) checks the addresses of servers again, and refuses a blocked address', async t => {
  const { cluster, open } = await opened(t);
  const blocked = '10.0.0.1:27015';
  cluster.setOwner(`csgo ${blocked}`, 'core-0');
  const { stream, replies, until } = open();
  stream.write({
    calls: [{ id: 1, action: 'PART_ACTION_INSERT', servers: csgo(blocked), insertedBy: 'tok_1' }],
  });
  await until(1);
  assert.equal(replies()[0]?.servers[0]?.invalidReason, 'blocked_address');
});

test('FetchParts (calls between cores) refuses a call with an unknown action or too many servers, and answers other calls in the message', async t => {
  const { addressOf, open } = await opened(t);
  const { stream, replies, until } = open();
  const many = Array.from({ length: 1_001 }, (_, i) => `1.2.3.4:${20_000 + i}`);
  stream.write({
    calls: [
      { id: 1, action: 'PART_ACTION_UNSPECIFIED', servers: csgo(addressOf(0)) },
      { id: 2, action: read, servers: csgo(...many) },
      { id: 3, action: read, servers: csgo(addressOf(0)) },
    ],
  });
  await until(3);
  const errors = new Map(replies().map(({ id, error }) => [id, error && fromRpcStatus(error).code]));
  assert.deepEqual(
    [1, 2, 3].map(id => errors.get(id)),
    ['GRPC_1', 'GRPC_1', null],
  );
});

test('FetchParts (a stream of calls between cores) ends if one message contains more calls than the maximum', async t => {
  const { open } = await opened(t);
  const { stream, inbox } = open();
  stream.write({ calls: Array.from({ length: MAX_PART_CALLS + 1 }, (_, id) => ({ id, action: read })) });
  const end = await inbox.over;
  assert.deepEqual([end?.code, end?.ours?.code], [status.INVALID_ARGUMENT, 'GRPC_1']);
});

test('FetchParts (a stream of calls between cores) refuses further calls with CORE_1 while the maximum number of calls is in progress', async t => {
  const { shared, cluster, addressOf, open } = await opened(t);
  const { stream, replies, until } = open();
  const slow = 'slow.test:27015';
  cluster.setOwner(`csgo ${slow}`, 'core-0');
  // The DNS server of the test does not answer, so the checks of the host name `slow.test` stay in progress for a
  // while.
  shared.dns.silent = true;
  const check = { action: 'PART_ACTION_CHECK' as const, insertedBy: 'tok_1', servers: csgo(slow) };
  stream.write({ calls: Array.from({ length: MAX_PART_CALLS }, (_, i) => ({ ...check, id: i + 1 })) });
  stream.write({ calls: [{ id: 0, action: read, servers: csgo(addressOf(0)) }] });
  await until(MAX_PART_CALLS + 1);
  const [first, ...others] = replies();
  assert.equal(first?.id, 0);
  assert.equal(first?.error && fromRpcStatus(first.error).code, 'CORE_1');
  assert.ok(others.every(({ servers }) => servers[0]?.invalidReason === 'unresolvable_host'));
});

test('a core that shuts down still answers the calls of other cores that are in progress on a FetchParts stream', async t => {
  const { at, addressOf, open } = await opened(t);
  const { stream, inbox, replies } = open();
  at(0).onInserted.act = () => at(0).closing.abort();
  const insert = { action: 'PART_ACTION_INSERT' as const, insertedBy: 'tok_1', waitMs: 5_000 };
  stream.write({ calls: [{ ...insert, id: 1, servers: csgo(addressOf(0)) }] });
  assert.equal(await inbox.over, undefined);
  assert.equal(replies()[0]?.servers[0]?.inserted, true);
});

test('ChangeServers (a call between cores) refuses an unknown action, and more than 1000 keys of servers', async t => {
  const { client } = await opened(t);
  const keys = Array.from({ length: 1_001 }, (_, i) => `csgo 1.2.3.4:${20_000 + i}`);
  for (const request of [{}, { action: 'SERVER_ACTION_REMOVE' as const, keys }]) {
    const { ours } = await failure(done => client.changeServers(request, internalMetadata(SECRET), done));
    assert.equal(ours?.code, 'GRPC_1');
  }
});
