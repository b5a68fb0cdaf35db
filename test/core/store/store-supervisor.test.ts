import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { TokenService } from '../../../core/access/token-service.ts';
import { leaseRecords } from './lease-records.ts';
import { boot } from './leveldb/booted.ts';
import { kept, keyOf, MIB, now, server } from './supervised-store.ts';

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
