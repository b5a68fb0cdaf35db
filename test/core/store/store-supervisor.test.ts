import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TokenService } from '../../../core/access/token-service.ts';
import { credentialsEntry } from '../../../core/credentials/credentials-entry.ts';
import { StoreSupervisor } from '../../../core/store/store-supervisor.ts';
import { createLogger } from '../../../runtime/log.ts';
import { scratchDirectory } from '../../system/scratch-directory.ts';
import { clockAt } from '../clock.ts';
import { leaseRecords } from './lease-records.ts';
import { boot } from './leveldb/booted.ts';

const { now } = clockAt();
const MIB = 1024 * 1024;
const server = (n: number) => ({ gameId: 'csgo', address: `203.0.113.${n}:27015`, insertedBy: 'tok_1' });
const keyOf = (n: number): string => `csgo ${server(n).address}`;

/** Opens a store and its supervisor. The test sets the free disk space that the supervisor sees. */
async function kept() {
  const home = scratchDirectory();
  const directory = join(home, 'store');
  const failures: Error[] = [];
  let supervisor: StoreSupervisor | undefined;
  const booted = await boot(directory, now, error => {
    failures.push(error);
    supervisor?.noteFailure(error);
  });
  const { engine, store, credentials, tokens } = booted;
  const disk = { free: 100 * MIB };
  const lost: Error[] = [];
  supervisor = new StoreSupervisor({
    engine,
    directory,
    minFreeBytes: 64 * MIB,
    compare: async () => [
      ...(await store.compare()),
      ...(await credentials.compare()),
      ...(await tokens.compare()),
    ],
    writeDirty: () => store.writeDirty(),
    log: createLogger('core', 'silent'),
    onLost: error => lost.push(error),
    freeBytes: async () => disk.free,
  });
  await supervisor.check();
  /** Makes writes fail: it moves the directory away, so LevelDB cannot create a new log file. */
  const failWrites = async (beside: () => unknown = () => {}): Promise<void> => {
    renameSync(directory, join(home, 'away'));
    const value = Buffer.alloc(MIB, 'x');
    for (let i = 0; !engine.failed; i++) {
      assert.ok(i < 100, 'LevelDB writes to a directory that is gone');
      const written = engine.commit([{ type: 'put', key: 'x/big', value }]).catch(() => {});
      beside();
      await written;
    }
  };
  const mendWrites = (): void => {
    rmSync(directory, { recursive: true, force: true });
    renameSync(join(home, 'away'), directory);
  };
  return { ...booted, directory, disk, supervisor, failures, lost, failWrites, mendWrites };
}

test('if free disk space falls below the minimum, inserts are refused and fetches answered, until 1.25 times the minimum is free', async () => {
  const { store, engine, disk, supervisor, close, directory, tokens } = await kept();
  assert.deepEqual(await store.insertIfAbsent([server(1)]), ['inserted']);
  disk.free = 63 * MIB;
  await supervisor.check();
  assert.match(engine.refusal?.message ?? '', /66060288 bytes are free .* GSQ_MIN_FREE_SPACE keeps 67108864/);
  assert.deepEqual(await store.insertIfAbsent([server(1), server(2)]), ['present', 'refused']);
  assert.ok(store.getMany([keyOf(1)])[0]);
  const wish = { tier: 'FREE', email: 'a@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
  await assert.rejects(new TokenService(tokens, now).create(wish), { name: 'NoWrites' });
  // Probe results are visible immediately, and are written once enough disk space is free.
  const [lease] = leaseRecords(store, 1);
  assert.ok(lease);
  store.apply(lease.id, { ...lease.server, status: 'online', version: 2 });
  assert.equal(store.getMany([keyOf(1)])[0]?.status, 'online');
  disk.free = 70 * MIB;
  await supervisor.check();
  assert.equal(store.writable, false, 'not at once, lest it goes to and fro');
  disk.free = 90 * MIB;
  await supervisor.check();
  assert.deepEqual([store.writable, supervisor.free], [true, 90 * MIB]);
  assert.deepEqual(await store.insertIfAbsent([server(2)]), ['inserted']);
  // Closes only the engine, as in a kill. The record was already written by the supervisor.
  await engine.close();
  const again = await boot(directory, now);
  assert.equal(again.store.getMany([keyOf(1)])[0]?.status, 'online');
  assert.ok(again.store.getMany([keyOf(2)])[0]);
  await again.close();
  await close();
});

test('after a failed write, no write is acknowledged until the store recovers, and the recovery loses no acknowledged write', async () => {
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
  } = await kept();
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

test('after a recovery, the store holds exactly the credentials whose writes were acknowledged', async () => {
  const kit = await kept();
  const { store, credentials, engine, supervisor, failWrites, mendWrites, directory } = kit;
  const secret = (text: string) => ({ secret: text, options: new Map<string, string>() });
  await store.insertIfAbsent([server(1), server(2)]);
  await credentials.changeAccess([keyOf(1)], secret('older'));
  const older = credentials.encryptedOf(keyOf(1));
  await credentials.changeAccess([keyOf(1)], secret('acknowledged'));
  assert.ok(older);
  // Simulates two failed writes that still reached the disk. One adds credentials; the other overwrites acknowledged
  // credentials.
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

test('a recovery deletes entries on disk that were never acknowledged', async () => {
  const { store, engine, supervisor, failWrites, mendWrites, directory, quota, lastUse } = await kept();
  await store.insertIfAbsent([server(1)]);
  let value: Buffer | undefined;
  for await (const [, stored] of engine.entries('s/')) value = stored;
  assert.ok(value);
  // Simulates failed writes that still reached the disk.
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

test('a recovery writes appended records again if a failed write lost them', async () => {
  const { store, engine, supervisor, failWrites, mendWrites, directory, quota, lastUse } = await kept();
  await store.insertIfAbsent([server(1)]);
  let before: Buffer | undefined;
  for await (const [, stored] of engine.entries('s/')) before = stored;
  const [lease] = leaseRecords(store, 1);
  assert.ok(before && lease);
  store.apply(lease.id, { ...lease.server, status: 'online', version: 2 });
  // Simulates an append that did not reach the disk, by restoring the previous record.
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

test('tokens created while writes fail are stored if and only if their creation was acknowledged', async () => {
  const { tokens, supervisor, failWrites, mendWrites, directory, close } = await kept();
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

test('if acknowledged writes are lost, the supervisor calls onLost', async () => {
  const { store, supervisor, failWrites, lost, close } = await kept();
  await store.insertIfAbsent([server(1)]);
  await failWrites();
  await supervisor.check();
  assert.match(lost[0]?.message ?? '', /is damaged: most of it is missing/);
  assert.equal(store.writable, false);
  await close().catch(() => {});
});

test('the supervisor tries again to open a store that cannot be opened, with increasing pauses', async () => {
  const { store, supervisor, failWrites, mendWrites, directory, close } = await kept();
  await failWrites();
  // A file in place of the directory causes a disk error. It does not look like damaged data.
  writeFileSync(directory, '');
  await supervisor.check();
  assert.deepEqual([store.writable, supervisor.recoveries], [false, 0]);
  mendWrites();
  await supervisor.check();
  assert.equal(store.writable, false, 'one look is left out');
  await supervisor.check();
  assert.deepEqual([store.writable, supervisor.recoveries], [true, 1]);
  await close();
});
