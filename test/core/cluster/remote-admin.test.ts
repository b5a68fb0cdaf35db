import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { clients, internalMetadata } from '../../../proto/clients.ts';
import type { AddServersRequest } from '../../../proto/generated/gsq/v1/AddServersRequest.ts';
import type { AddServersResponse__Output } from '../../../proto/generated/gsq/v1/AddServersResponse.ts';
import type { ListPubliclyResponse__Output } from '../../../proto/generated/gsq/v1/ListPubliclyResponse.ts';
import type { ListServersRequest } from '../../../proto/generated/gsq/v1/ListServersRequest.ts';
import type { ListServersResponse__Output } from '../../../proto/generated/gsq/v1/ListServersResponse.ts';
import type { RemoveServersResponse__Output } from '../../../proto/generated/gsq/v1/RemoveServersResponse.ts';
import { silentRecord } from '../record-of.ts';
import { failure, unary } from '../rpc/answer.ts';
import { openCluster, SECRET } from './cluster-core.ts';

/** Starts three cores, and a client of AdminService at the first of them. */
async function openedCluster(t: TestContext) {
  const world = await openCluster(t, 3, { deadlineMs: 10_000 });
  const admin = clients.admin(world.at(0).address);
  t.after(() => admin.close());
  const metadata = internalMetadata(SECRET);
  const addresses = [0, 1, 2].map(owner => world.addressOf(owner));
  const palworld = (...servers: string[]) => ({ servers: [{ gameId: 'palworld', servers }] });
  return {
    ...{ world, admin, metadata, addresses, palworld },
    keys: addresses.map(address => `palworld ${address}`),
    add: (request: AddServersRequest) =>
      unary<AddServersResponse__Output>(done => admin.addServers(request, metadata, done)),
    remove: (...servers: string[]) =>
      unary<RemoveServersResponse__Output>(done => admin.removeServers(palworld(...servers), metadata, done)),
    listPublicly: (isPublic: boolean, ...servers: string[]) =>
      unary<ListPubliclyResponse__Output>(done =>
        admin.listPublicly({ ...palworld(...servers), isPublic }, metadata, done),
      ),
    list: (request: ListServersRequest = {}) =>
      unary<ListServersResponse__Output>(done => admin.listServers(request, metadata, done)),
  };
}

test('AddServers inserts each server on the core that owns it, and stores the secret and the options of the server there', async t => {
  const { world, add, list, addresses, keys, palworld } = await openedCluster(t);
  const access = { secret: 'a secret of this test', options: [{ name: 'query_port', value: '8212' }] };
  const { meta } = await add({ ...palworld(...addresses), access });
  assert.equal(meta?.autoInserted, 3);
  for (const key of keys) {
    const owner = world.ownerOf(key);
    assert.equal(owner.store.getMany([key])[0]?.insertedBy, 'admin');
    assert.equal(owner.credentials.get(key)?.secret, access.secret);
    assert.equal(owner.credentials.size, 1);
  }
  const listed = await list();
  assert.deepEqual(
    listed.access.map(({ server, hasSecret, options }) => [server, hasSecret, options]),
    [...addresses].sort().map(server => [server, true, ['query_port']]),
  );
  await add({ ...palworld(...addresses), access: { clearSecret: true, options: [{ name: 'query_port' }] } });
  assert.deepEqual((await list()).access, []);
});

test('AddServers changes the field `insertedBy` of a server from a token to the operator, even if another core owns the server', async t => {
  const { world, add, addresses, palworld } = await openedCluster(t);
  const [, address = ''] = addresses;
  await world.at(2).fetch.fetch([{ gameId: 'palworld', servers: [address] }], 'tok_1', 0);
  assert.equal((await add(palworld(address))).meta?.autoInserted, 1);
  assert.equal(world.at(1).store.getMany([`palworld ${address}`])[0]?.insertedBy, 'admin');
});

test('ListPublicly sets whether tracked servers of all cores are public, and returns these servers', async t => {
  const { world, add, listPublicly, addresses, keys, palworld } = await openedCluster(t);
  await add(palworld(...addresses));
  const isPublic = () => keys.map(key => world.ownerOf(key).store.getMany([key])[0]?.isPublic);
  const { tracked } = await listPublicly(true, ...addresses, '1.2.3.4:27099');
  assert.deepEqual(
    tracked.map(({ server }) => server),
    addresses,
  );
  assert.deepEqual(isPublic(), [true, true, true]);
  await listPublicly(false, ...addresses);
  assert.deepEqual(isPublic(), [false, false, false]);
});

test('RemoveServers removes servers on all cores, even if gsq has stopped tracking them, and returns each server once', async t => {
  const { world, add, remove, addresses, keys, palworld } = await openedCluster(t);
  await add(palworld(...addresses));
  const [, , key = ''] = keys;
  const [record] = world.at(2).store.getMany([key]);
  assert.ok(record);
  await world.at(2).store.remove([key]);
  world.at(2).givenUp.addServer(record, silentRecord(record, world.shared.clock.at));
  const { removed } = await remove(...addresses, '1.2.3.4:27099', addresses[1] ?? '');
  assert.deepEqual(
    removed.map(({ server }) => server),
    addresses,
  );
  assert.deepEqual(
    world.cores.map(({ store, givenUp }) => store.stats().tracked + givenUp.size),
    [0, 0, 0],
  );
});

test('RemoveServers removes a server that has moved to another core, even if the called core does not know of the move', async t => {
  const { world, add, remove, addresses, keys, palworld } = await openedCluster(t);
  const [, address = ''] = addresses;
  await add(palworld(address));
  // Moves the server to core 2. Core 0, which the client calls, does not know this yet.
  await world.move(keys[1] ?? '', 2);
  assert.equal((await remove(address)).removed.length, 1);
  assert.equal(world.at(2).store.stats().tracked, 0);
});

test('RemoveServers fails with CORE_1, and does not remove a server, if the core that owns the server cannot write to the store', async t => {
  const { world, add, admin, metadata, addresses, keys, palworld } = await openedCluster(t);
  await add(palworld(...addresses));
  world.at(1).engine.pause('a test');
  const { ours } = await failure(done => admin.removeServers(palworld(...addresses), metadata, done));
  assert.equal(ours?.code, 'CORE_1');
  assert.ok(world.at(1).store.getMany([keys[1] ?? ''])[0]);
});
