import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, OTHER, SERVER, when } from './hook-world.ts';

const FULL = 'the disk is nearly full';

/**
 * Lets the store accept writes again, repeats the refused writes, and restarts the core. In a real core, the class
 * `StoreSupervisor` does the first two steps.
 */
async function resume(world: HookWorld): Promise<void> {
  world.level.pause(undefined);
  await world.hooks.writeDirty();
  await world.settle();
  await world.restart();
}

test('a webhook delivery that succeeded while the store refused writes is not sent again after a restart of the core', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ servers: [SERVER] });
  world.offline();
  const [leased] = await world.lease();
  world.level.pause(FULL);
  world.report(leased?.leaseId ?? 0, 200);
  await resume(world);
  assert.deepEqual(await world.events(), []);
  assert.equal(world.hooks.attemptsOf(id).length, 1);
});

test('if gsq posted a Discord message while the store refused writes, gsq can still edit this message later', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER], conditions: [] });
  const [posted] = await world.lease();
  world.level.pause(FULL);
  world.report(posted?.leaseId ?? 0, 200, { body: '{"id":"111"}' });
  await resume(world);
  world.online(SERVER, 9);
  await world.advance(10);
  assert.deepEqual(
    (await world.lease()).map(({ method }) => method),
    ['PATCH'],
  );
});

test('a webhook that was disabled while the store refused writes stays disabled', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  world.offline();
  const [leased] = await world.lease();
  world.level.pause(FULL);
  world.report(leased?.leaseId ?? 0, 410);
  await resume(world);
  assert.notEqual(world.hooks.webhooks.get(id)?.disabledAt, 0);
  assert.equal(world.hooks.deliveries.countOf(id), 0);
});

test('after a restart, the core sends a delivery for a condition that became true while the store refused writes', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ servers: [SERVER], conditions: [when('offline', { forMs: 120_000 })] });
  world.level.pause(FULL);
  world.offline();
  await resume(world);
  await world.advance(120);
  assert.deepEqual(await world.events(), ['offline']);
});

test('while the core repeats the writes that the store refused, it loses no new change of a webhook or a delivery', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.online(OTHER);
  const { id } = await world.create();
  world.offline();
  const [leased] = await world.lease();
  world.level.pause(FULL);
  world.report(leased?.leaseId ?? 0, 200);
  world.level.pause(undefined);
  const readAll = world.level.readAll.bind(world.level);
  let created = '';
  t.mock.method(world.level, 'readAll', async (...parameters: Parameters<typeof readAll>) => {
    await readAll(...parameters);
    if (created !== '') return;
    // Changes servers and webhooks while `writeDirty` is running. At this time, `writeDirty` has read the stored
    // webhooks, but not yet the stored deliveries and condition states. The changes must not be lost.
    world.offline(OTHER);
    created = (await world.create()).id;
    await world.hooks.remove(id);
    world.online();
    await world.settle();
  });
  await world.hooks.writeDirty();
  t.mock.restoreAll();
  await world.restart();
  assert.deepEqual(
    world.hooks.webhooks.list('').map(webhook => webhook.id),
    [created],
  );
  assert.deepEqual(await world.events(), ['online']);
});

test('after a failed write, the core makes the webhook entries in the store equal to the entries in its memory', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ cooldownMs: 600_000 });
  world.offline();
  await world.events();
  world.online();
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER], conditions: [] });
  for (const { leaseId } of await world.lease()) world.report(leaseId, 200, { body: '{"id":"111"}' });
  await world.hooks.test(id);
  await world.settle();
  const entries = async (): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for await (const [key, value] of world.level.entries('')) found[key] = value.toString('base64');
    delete found['m/state'];
    return found;
  };
  const before = await entries();
  const hooks = Object.keys(before).filter(key => /^[wdeli]\//.test(key));
  assert.deepEqual([...new Set(hooks.map(key => key.slice(0, 1)))].sort(), ['d', 'e', 'i', 'l', 'w']);
  assert.deepEqual(await world.hooks.compare(), []);
  const stray = Buffer.from('stray');
  await world.level.commit([
    ...hooks.map(key => ({ type: 'del', key }) as const),
    { type: 'put', key: 'd/stray', value: stray },
    { type: 'put', key: 'e/stray', value: stray },
  ]);
  await world.level.commit(await world.hooks.compare());
  assert.deepEqual(await entries(), before);
});
