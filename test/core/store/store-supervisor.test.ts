import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TokenService } from '../../../core/access/token-service.ts';
import { leaseRecords } from './lease-records.ts';
import { boot } from './leveldb/booted.ts';
import { keyOf, MIB, now, openSupervisedStore, server } from './supervised-store.ts';

test('if free disk space falls below the minimum, the store refuses inserts until 1.25 times the minimum is free', async () => {
  const { store, engine, disk, supervisor, close, directory, tokens } = await openSupervisedStore();
  assert.deepEqual(await store.insertIfAbsent([server(1)]), ['inserted']);
  disk.free = 63 * MIB;
  await supervisor.check();
  assert.match(engine.refusal?.message ?? '', /66060288 bytes are free .* GSQ_MIN_FREE_SPACE needs 67108864/);
  assert.deepEqual(await store.insertIfAbsent([server(1), server(2)]), ['present', 'refused']);
  assert.ok(store.getMany([keyOf(1)])[0]);
  const wish = { tier: 'FREE', email: 'a@example.com', expiresAt: 0, allowIps: [], allowDomains: [] };
  await assert.rejects(new TokenService(tokens, now).create(wish), { name: 'NoWrites' });
  // While too little disk space is free, a probe result changes only the record in memory. The store writes the record
  // later.
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
  // Simulates a kill of the core: closes the storage engine without writing changed records. The record of server 1 is
  // on disk, because `supervisor.check()` has written it before.
  await engine.close();
  const again = await boot(directory, now);
  assert.equal(again.store.getMany([keyOf(1)])[0]?.status, 'online');
  assert.ok(again.store.getMany([keyOf(2)])[0]);
  await again.close();
  await close();
});

test('the store supervisor calls onLost and allows no writes if acknowledged writes are missing in the reopened store', async () => {
  const { store, supervisor, failWrites, mendWrites, directory, lost, close } = await openSupervisedStore();
  await store.insertIfAbsent([server(1)]);
  await failWrites();
  mendWrites();
  for (const name of readdirSync(directory)) if (name.endsWith('.log')) truncateSync(join(directory, name));
  await supervisor.check();
  assert.match(lost[0]?.message ?? '', /is damaged: /);
  assert.equal(store.writable, false);
  await close().catch(() => {});
});

test('the store supervisor repeatedly tries to reopen a failed store, with a longer pause after each attempt', async () => {
  const { store, supervisor, failWrites, mendWrites, directory, close } = await openSupervisedStore();
  await failWrites();
  mendWrites();
  // Creates a file with the name of a directory that the store must create. Therefore the next attempt to open the
  // store fails with a disk error.
  writeFileSync(join(directory, 'opening'), '');
  await supervisor.check();
  assert.deepEqual([store.writable, supervisor.recoveries], [false, 0]);
  rmSync(join(directory, 'opening'));
  await supervisor.check();
  assert.equal(store.writable, false, 'one look is left out');
  await supervisor.check();
  assert.deepEqual([store.writable, supervisor.recoveries], [true, 1]);
  await close();
});

test('while files of the store are missing, the store refuses writes but still answers fetches', async () => {
  for (const part of ['', 'CURRENT', 'LOCK']) {
    const { store, engine, supervisor, directory, failures, lost, close } = await openSupervisedStore();
    assert.deepEqual(await store.insertIfAbsent([server(1)]), ['inserted']);
    const path = join(directory, part);
    const away = join(directory, part === '' ? '../away' : '../file');
    renameSync(path, away);
    await supervisor.check();
    assert.match(
      engine.refusal?.message ?? '',
      /deleted, moved or replaced .* gsq restore <file> --data-dir/,
    );
    assert.deepEqual(await store.insertIfAbsent([server(1), server(2)]), ['present', 'refused']);
    assert.ok(store.getMany([keyOf(1)])[0]);
    renameSync(away, path);
    await supervisor.check();
    assert.deepEqual(await store.insertIfAbsent([server(2)]), ['inserted']);
    assert.deepEqual([failures, lost], [[], []]);
    await close();
  }
});

test('the store refuses writes after its directory was replaced with an empty directory', async () => {
  const { store, supervisor, directory, lost, close } = await openSupervisedStore();
  rmSync(directory, { recursive: true });
  mkdirSync(directory);
  await supervisor.check();
  assert.deepEqual(await store.insertIfAbsent([server(1)]), ['refused']);
  assert.deepEqual(lost, []);
  await close().catch(() => {});
});
