import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TokenService } from '../../../core/access/token-service.ts';
import { credentialsEntry } from '../../../core/credentials/credentials-entry.ts';
import { leaseRecords } from './lease-records.ts';
import { boot } from './leveldb/booted.ts';
import { keyOf, now, openSupervisedStore, server } from './supervised-store.ts';

test('after a failed write the store refuses writes until it recovers, and the recovery keeps all acknowledged writes', async () => {
  const {
    store,
    engine,
    supervisor,
    failures,
    lost,
    failWrites,
    mendWrites,
    directory,
    quota,
    lastUse,
    tokens,
  } = await openSupervisedStore();
  const wish = { tier: 'FREE', email: 'a@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
  const { token } = await new TokenService(tokens, now).create(wish);
  assert.deepEqual(await store.insertIfAbsent([server(1), server(2)]), ['inserted', 'inserted']);
  await failWrites();
  assert.equal(failures.length, 1);
  assert.deepEqual(await store.insertIfAbsent([server(3)]), ['refused']);
  await assert.rejects(store.remove([keyOf(1)]), { name: 'NoWrites' });
  assert.ok(store.getMany([keyOf(1)])[0], 'a removal that was refused removed nothing');
  const [lease] = leaseRecords(store, 1);
  assert.ok(lease);
  store.apply(lease.id, { ...lease.server, status: 'online', version: 2 });
  mendWrites();
  await supervisor.check();
  assert.deepEqual([store.writable, supervisor.writeErrors, supervisor.recoveries, lost], [true, 1, 1, []]);
  assert.deepEqual(await store.insertIfAbsent([server(3)]), ['inserted']);
  assert.deepEqual(await store.remove([keyOf(2)]), [true]);
  quota.close();
  lastUse.close();
  await engine.close();
  const again = await boot(directory, now);
  assert.deepEqual(
    (await again.store.list('', '', 10)).map(({ key, status }) => [key, status]),
    [
      [keyOf(1), lease.server.key === keyOf(1) ? 'online' : 'pending'],
      [keyOf(3), 'pending'],
    ],
  );
  assert.ok(again.tokens.get(token.id));
  await again.close();
});

test('after the store has recovered from a failed write, it contains exactly the credentials whose writes were acknowledged', async () => {
  const kit = await openSupervisedStore();
  const { store, credentials, engine, supervisor, failWrites, mendWrites, directory } = kit;
  const secret = (text: string) => ({ secret: text, options: new Map<string, string>() });
  await store.insertIfAbsent([server(1), server(2)]);
  await credentials.changeAccess([keyOf(1)], secret('older'));
  const older = credentials.encryptedOf(keyOf(1));
  await credentials.changeAccess([keyOf(1)], secret('acknowledged'));
  assert.ok(older);
  // Simulates two writes of credentials that failed, although their data reached the disk. One write replaces
  // acknowledged credentials, and the other write adds new credentials.
  await engine.commit([1, 2].map(n => credentialsEntry(keyOf(n), older)));
  await failWrites();
  await assert.rejects(credentials.changeAccess([keyOf(2)], secret('refused')), { name: 'NoWrites' });
  mendWrites();
  await supervisor.check();
  kit.quota.close();
  kit.lastUse.close();
  await engine.close();
  const again = await boot(directory, now);
  assert.equal(again.credentials.get(keyOf(1))?.secret, 'acknowledged');
  assert.equal(again.credentials.size, 1);
  await again.close();
});

test('when the store recovers from a failed write, it deletes entries on disk that were never acknowledged', async () => {
  const { store, engine, supervisor, failWrites, mendWrites, directory, quota, lastUse } =
    await openSupervisedStore();
  await store.insertIfAbsent([server(1)]);
  let value: Buffer | undefined;
  for await (const [, stored] of engine.entries('s/')) value = stored;
  assert.ok(value);
  // Simulates two inserts whose writes failed, although their data reached the disk.
  await engine.commit([8, 9].map(n => ({ type: 'put', key: `s/${keyOf(n)}`, value, adds: n })));
  await failWrites();
  mendWrites();
  await supervisor.check();
  assert.deepEqual(await store.insertIfAbsent([server(9)]), ['inserted']);
  assert.deepEqual(await store.insertIfAbsent([server(9)]), ['present']);
  quota.close();
  lastUse.close();
  await engine.close();
  const again = await boot(directory, now);
  assert.deepEqual(
    (await again.store.list('', '', 10)).map(({ key }) => key),
    [keyOf(1), keyOf(9)],
  );
  await again.close();
});

test('when the store recovers from a failed write, it also rewrites earlier changes that never reached the disk', async () => {
  const { store, engine, supervisor, failWrites, mendWrites, directory, quota, lastUse } =
    await openSupervisedStore();
  await store.insertIfAbsent([server(1)]);
  let before: Buffer | undefined;
  for await (const [, stored] of engine.entries('s/')) before = stored;
  const [lease] = leaseRecords(store, 1);
  assert.ok(before && lease);
  store.apply(lease.id, { ...lease.server, status: 'online', version: 2 });
  // Overwrites the newest record of a server on disk with its previous record, as if the newest record had never
  // reached the disk.
  await engine.commit([{ type: 'put', key: `s/${keyOf(1)}`, value: before }]);
  await failWrites();
  mendWrites();
  await supervisor.check();
  quota.close();
  lastUse.close();
  await engine.close();
  const again = await boot(directory, now);
  assert.equal(again.store.getMany([keyOf(1)])[0]?.status, 'online');
  await again.close();
});

test('if writes fail, the store contains exactly the tokens whose creation was acknowledged', async () => {
  const { tokens, supervisor, failWrites, mendWrites, directory, close } = await openSupervisedStore();
  const office = new TokenService(tokens, now);
  const wish = { tier: 'FREE', email: 'a@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
  const creations: ReturnType<TokenService['create']>[] = [];
  await failWrites(() => creations.push(office.create(wish)));
  const told = (await Promise.allSettled(creations)).flatMap(each =>
    each.status === 'fulfilled' ? [each.value.token.id] : [],
  );
  assert.ok(told.length > 0 && told.length < creations.length, `${told.length} of ${creations.length}`);
  mendWrites();
  await supervisor.check();
  await close();
  const again = await boot(directory, now);
  assert.deepEqual(
    again.tokens
      .list()
      .map(({ id }) => id)
      .sort(),
    told.sort(),
  );
  await again.close();
});
