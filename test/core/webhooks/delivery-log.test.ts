import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LevelDbStore } from '../../../core/store/leveldb/leveldb-store.ts';
import type { Attempt } from '../../../core/webhooks/delivery.ts';
import { DeliveryLog } from '../../../core/webhooks/delivery-log.ts';
import { HookWorld } from './hook-world.ts';

const attempt = (deliveryId: string, at: number): Attempt => ({
  deliveryId,
  event: 'test',
  server: '',
  at,
  httpStatus: 200,
  error: '',
  durationMs: 1,
  nextAt: 0,
});

async function loadedLog(level: LevelDbStore): Promise<DeliveryLog> {
  const log = new DeliveryLog(level);
  await log.load(() => true);
  return log;
}

test('the delivery log of a webhook keeps the order of the last 50 attempts even after restarts of the core', async t => {
  const { level } = await HookWorld.open(t);
  const load = () => loadedLog(level);
  let log = await load();
  const add = (n: number): void => log.addAttempt('hook_1', attempt(`msg_${n}`, 1_000));
  for (let n = 0; n < 75; n++) add(n);
  for (let n = 75; n < 78; n++) {
    await level.commit([]);
    log = await load();
    add(n);
  }
  assert.deepEqual(
    log.list('hook_1').map(({ deliveryId }) => deliveryId),
    Array.from({ length: 50 }, (_, i) => `msg_${77 - i}`),
  );
});

test('the delivery log does not count a dropped event as the last delivery attempt of a webhook', async t => {
  const { level } = await HookWorld.open(t);
  const log = await loadedLog(level);
  assert.equal(log.lastAt('hook_1'), 0);
  log.addAttempt('hook_1', attempt('msg_1', 1_000));
  log.addAttempt('hook_1', attempt('', 2_000));
  assert.equal(log.lastAt('hook_1'), 1_000);
});
