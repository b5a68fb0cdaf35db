import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { HookWorld, SERVER, when } from './hook-world.ts';

const STEP_MS = 2 * 3_600_000;

/** Two ways in which the webhook engine can learn that the clock was set back by STEP_MS. */
const waysToLearn: Record<string, (world: HookWorld) => unknown> = {
  'while the core runs': world => world.hooks.tick(),
  'while the core is stopped': world => world.restart(),
};

/** Opens a webhook engine with one delivery, which its receiver has refused with a Retry-After header. */
async function withRefusedDelivery(t: TestContext, status: number, retryAfterSeconds: number) {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ servers: [SERVER] });
  world.hooks.tick();
  world.offline();
  const [leased] = await world.lease();
  world.report(leased?.leaseId ?? 0, status, { retryAfterSeconds });
  return world;
}

for (const [time, learn] of Object.entries(waysToLearn)) {
  test(`a queued webhook delivery is not late if the clock is set back ${time}`, async t => {
    const world = await HookWorld.open(t);
    world.online();
    await world.create({ servers: [SERVER] });
    world.hooks.tick();
    world.offline();
    await world.settle();
    world.clock.at -= STEP_MS;
    await learn(world);
    assert.deepEqual(await world.events(), ['offline']);
  });

  test(`if the clock is set back ${time}, the minimum duration of a webhook condition restarts at most once`, async t => {
    const world = await HookWorld.open(t);
    world.online();
    await world.create({ conditions: [when('offline', { forMs: 60_000 })] });
    world.hooks.tick();
    world.offline();
    await world.advance(30);
    world.clock.at -= STEP_MS;
    await learn(world);
    await world.advance(59);
    assert.deepEqual(await world.events(), []);
    await world.advance(1);
    assert.deepEqual(await world.events(), ['offline']);
  });

  test(`if the clock is set back ${time}, the cooldown of a webhook restarts at most once`, async t => {
    const world = await HookWorld.open(t);
    world.online();
    await world.create({ conditions: [when('offline')], cooldownMs: 60_000 });
    world.hooks.tick();
    world.offline();
    assert.deepEqual(await world.events(), ['offline']);
    world.online();
    await world.settle();
    world.clock.at -= STEP_MS;
    await learn(world);
    world.offline();
    await world.advance(59);
    assert.deepEqual(await world.events(), []);
    await world.advance(1);
    assert.deepEqual(await world.events(), ['offline']);
  });
}

test('gsq waits for exactly the Retry-After of a webhook receiver, even if the clock is set back in the meantime', async t => {
  const world = await withRefusedDelivery(t, 429, 600);
  world.clock.at -= STEP_MS;
  world.hooks.tick();
  await world.advance(599);
  assert.deepEqual(await world.lease(), []);
  await world.advance(1);
  assert.deepEqual(await world.events(), ['offline']);
});

test('a leased webhook delivery is leased again if no result is reported, even if the clock was set back', async t => {
  const world = await HookWorld.open(t);
  const { id } = await world.create();
  await world.hooks.test(id);
  const [first] = await world.lease();
  world.clock.at -= STEP_MS;
  world.hooks.tick();
  assert.deepEqual(await world.lease(), []);
  await world.advance(40);
  const [second] = await world.lease();
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
});

test('a planned retry of a webhook delivery is not late if the core restarts after the clock was set back', async t => {
  const world = await withRefusedDelivery(t, 503, 3_600);
  await world.advance(1_800);
  // Sets the clock back by ten minutes, to a time that is later than the event of the delivery.
  world.clock.at -= 600_000;
  world.hooks.tick();
  await world.restart();
  await world.advance(1_799);
  assert.deepEqual(await world.lease(), []);
  await world.advance(1);
  assert.deepEqual(await world.events(), ['offline']);
});
