import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { Server } from '@grpc/grpc-js';
import type { Member } from '../../../core/cluster/ownership.ts';
import { listen } from '../../../core/rpc/grpc-server.ts';
import { Handlers } from '../../../core/rpc/handler.ts';
import { watchMembers } from '../../../core/rpc/watch-members.ts';
import { clients } from '../../../proto/clients.ts';
import { gsqV1 } from '../../../proto/descriptors.ts';
import type { WatchMembersResponse__Output } from '../../../proto/generated/gsq/v1/WatchMembersResponse.ts';
import { fromGrpcStatus } from '../../../proto/service-error.ts';
import { formatEndpoint } from '../../../runtime/endpoint.ts';

class FakeOwnership {
  members: readonly Member[] = [{ id: 'a', address: '127.0.0.1:1' }];
  lead: Member | undefined;
  isValid = true;
  readonly listeners = new Set<() => void>();
  onUnwatch = (): void => {};

  watch(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      this.onUnwatch();
    };
  }

  change(members: readonly Member[], lead?: Member): void {
    this.members = members;
    this.lead = lead;
    for (const listener of this.listeners) listener();
  }
}

/** Opens a WatchMembers stream. The members of the cluster come from `ownership`. */
async function watching(t: TestContext, ownership: FakeOwnership | undefined) {
  const closing = new AbortController();
  const handlers = new Handlers(
    () => {},
    error => assert.fail(String(error)),
  );
  const server = new Server();
  server.addService(gsqV1.ClusterService.service, {
    WatchMembers: watchMembers({ ownership, closing: closing.signal }, handlers),
  });
  const endpoint = await listen(server, 'GSQ_INTERNAL_ADDR', { host: '127.0.0.1', port: 0 });
  const client = clients.cluster(formatEndpoint(endpoint));
  const stream = client.watchMembers({});
  stream.on('error', () => {});
  t.after(() => {
    stream.cancel();
    client.close();
    server.forceShutdown();
  });
  const next = async (): Promise<string[]> => {
    const [{ members }] = (await once(stream, 'data')) as [WatchMembersResponse__Output];
    return members.map(({ id, address, isLead }) => `${id} ${address}${isLead ? ' lead' : ''}`);
  };
  return { closing, client, stream, next };
}

test('WatchMembers sends one empty list if the core is not in a cluster, and ends when the core shuts down', async t => {
  const { closing, stream, next } = await watching(t, undefined);
  assert.deepEqual(await next(), []);
  closing.abort();
  await once(stream.resume(), 'end');
});

test('WatchMembers sends the cluster members once, and again only after a change of a member or of the lead (the core that writes tokens)', async t => {
  const ownership = new FakeOwnership();
  const { next } = await watching(t, ownership);
  assert.deepEqual(await next(), ['a 127.0.0.1:1']);
  const [a, b] = [
    { id: 'a', address: '127.0.0.1:1' },
    { id: 'b', address: '127.0.0.1:2' },
  ];
  // Simulates that a bucket (group of servers) gets a new owner. The members stay the same, so WatchMembers must send
  // nothing.
  ownership.change([a]);
  ownership.change([a, b]);
  assert.deepEqual(await next(), ['a 127.0.0.1:1', 'b 127.0.0.1:2']);
  ownership.change([a, b], b);
  assert.deepEqual(await next(), ['a 127.0.0.1:1', 'b 127.0.0.1:2 lead']);
});

test('WatchMembers fails with CORE_1 while the core has no valid lease (cluster membership), so the caller asks another core', async t => {
  const ownership = new FakeOwnership();
  const { client, stream, next } = await watching(t, ownership);
  await next();
  ownership.isValid = false;
  ownership.change(ownership.members);
  const [error] = await once(stream, 'error');
  assert.equal(fromGrpcStatus(error)?.code, 'CORE_1');
  const [later] = await once(client.watchMembers({}), 'error');
  assert.equal(fromGrpcStatus(later)?.code, 'CORE_1');
  assert.equal(ownership.listeners.size, 0);
});

test('WatchMembers stops watching the members when the caller cancels its stream', async t => {
  const ownership = new FakeOwnership();
  const { stream, next } = await watching(t, ownership);
  await next();
  assert.equal(ownership.listeners.size, 1);
  const unwatched = new Promise<void>(resolve => {
    ownership.onUnwatch = resolve;
  });
  stream.cancel();
  await unwatched;
  assert.equal(ownership.listeners.size, 0);
});
