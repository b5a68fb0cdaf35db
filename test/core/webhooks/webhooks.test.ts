import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Operation } from '../../../core/store/storage-engine.ts';
import { HookWorld, SERVER, URL_TEXT, wish } from './hook-world.ts';

const TOKEN = 'tok_000000000001';

test('if a webhook is deleted several times at once, the number of webhooks of its token goes down only by one', async t => {
  const world = await HookWorld.open(t);
  const { id } = await world.create();
  for (let i = 1; i < 10; i++) await world.create();
  await Promise.all(Array.from({ length: 12 }, () => world.hooks.remove(id)));
  await world.create();
  await assert.rejects(world.create(), { code: 'HOOK_2' });
  assert.equal(world.hooks.webhooks.list(TOKEN).length, 10);
});

test('a deleted webhook does not return after a restart, even if one of its deliveries fails during the deletion', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  world.offline();
  const [leased] = await world.lease();
  const removed = world.hooks.remove(id);
  world.report(leased?.leaseId ?? 0, 500);
  await removed;
  await world.settle();
  await world.restart();
  assert.equal(world.hooks.webhooks.get(id), undefined);
});

test('a webhook and its queued deliveries remain if the store refuses to delete the webhook', async t => {
  const world = await HookWorld.open(t);
  world.online(SERVER);
  const { id } = await world.create();
  world.offline(SERVER);
  await world.settle();
  world.level.pause('the disk is nearly full');
  await assert.rejects(world.hooks.remove(id), { name: 'NoWrites' });
  world.level.pause(undefined);
  assert.deepEqual(await world.events(), ['offline']);
});

test('if the store refuses to write a new webhook, the core keeps neither the webhook nor its deliveries', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const message = { form: 'discord', oneMessage: true, conditions: [] } as const;
  const commit = world.level.commit.bind(world.level);
  let commits = 0;
  t.mock.method(world.level, 'commit', (operations: Operation[]) => {
    if (++commits === 2) world.level.pause('the disk is nearly full');
    return commit(operations);
  });
  await world.create(message);
  assert.equal(world.hooks.deliveries.size, 2);
  world.level.pause('the disk is nearly full');
  await assert.rejects(world.create(message), { name: 'NoWrites' });
  assert.deepEqual([world.hooks.webhooks.size, world.hooks.deliveries.size], [1, 2]);
});

test('the URL and the secret of a webhook are not stored as plain text in the data directory', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { webhook, secret } = await world.hooks.create(world.token('tok_000000000001'), wish());
  world.offline();
  await world.events();
  await world.stop();
  const files = readdirSync(world.directory, { recursive: true, withFileTypes: true }).filter(file =>
    file.isFile(),
  );
  const bytes = Buffer.concat(files.map(file => readFileSync(join(file.parentPath, file.name))));
  assert.ok(bytes.includes(webhook.id));
  for (const text of ['path-of-a-secret', 'secret-of-a-query', 'hooks.example', secret.slice(6, 30)])
    assert.equal(bytes.includes(text), false, text);
  await world.start();
  assert.deepEqual(world.hooks.webhooks.secretsOf(webhook.id), { url: URL_TEXT, secret });
});

test('the store contains no data of a deleted webhook', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ cooldownMs: 60_000 });
  world.offline();
  await world.events();
  world.online();
  await world.settle();
  await world.hooks.remove(id);
  const keys: string[] = [];
  for await (const [key] of world.level.entries('')) if (key.includes(id)) keys.push(key);
  assert.deepEqual(keys, []);
});

test('a webhook engine does not change or delete stored webhooks that it has not loaded yet', async t => {
  const world = await HookWorld.open(t);
  const webhook = await world.create();
  const follower = world.createEngine();
  assert.deepEqual(await follower.compare(), []);
  await follower.writeDirty();
  assert.equal(follower.webhooks.size, 0);
  await follower.load();
  assert.deepEqual(follower.webhooks.list(''), [webhook]);
  assert.deepEqual(await follower.compare(), []);
});
