import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER } from './hook-world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('gsq repeats a failed delivery after growing pauses, and disables the webhook after a day of failures', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  world.offline();
  const waits: number[] = [];
  for (let last = 0; world.disabled.length === 0; ) {
    const [leased] = await world.lease();
    if (!leased) {
      const { nextAt = 0 } = world.hooks.attemptsOf(id)[0] ?? {};
      world.clock.at = nextAt;
      continue;
    }
    if (last > 0) waits.push(world.clock.at - last);
    last = world.clock.at;
    world.report(leased.leaseId, 503);
  }
  assert.ok((waits[0] ?? 0) >= 4_000 && (waits[0] ?? 0) <= 6_000, `first wait ${waits[0]}`);
  assert.ok(Math.max(...waits) <= 2.4 * 3_600_000);
  assert.ok(waits.reduce((sum, wait) => sum + wait, 0) >= DAY_MS);
  const { disabledAt, disabledReason } = world.hooks.webhooks.get(id) ?? {};
  assert.equal(disabledAt, world.clock.at);
  assert.match(disabledReason ?? '', /failed for a day.*503/);
  world.online();
  assert.deepEqual(await world.events(), []);
  await world.restart();
  assert.equal(world.hooks.webhooks.get(id)?.disabledAt, disabledAt);
  await world.hooks.test(id);
  assert.deepEqual(await world.events(), ['test']);
  assert.equal(world.hooks.webhooks.get(id)?.disabledAt, 0);
});

/** Leases all due webhook deliveries every ten minutes for `hours` hours. Returns the number of leased deliveries. */
async function tryFor(
  world: HookWorld,
  hours: number,
  answer: (leaseId: number) => void = () => {},
): Promise<number> {
  let tried = 0;
  for (const end = world.clock.at + hours * HOUR_MS; world.clock.at < end; world.clock.at += 600_000) {
    for (const { leaseId } of await world.lease()) {
      tried++;
      answer(leaseId);
    }
  }
  return tried;
}

test('a single failed delivery does not disable the webhook, even if other deliveries failed long before', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ servers: [SERVER] });
  world.offline();
  await world.settle();
  // For three hours, nothing leases deliveries, as if no notifier (process that sends deliveries) ran. So the webhook
  // has no attempts in this time.
  world.clock.at += 3 * HOUR_MS;
  await tryFor(world, 24, leaseId => world.report(leaseId, 503));
  assert.equal(world.hooks.deliveries.countOf(id), 0);
  world.clock.at += 7 * DAY_MS;
  world.online();
  const [leased] = await world.lease();
  world.report(leased?.leaseId ?? 0, 503);
  assert.deepEqual(world.disabled, []);
  assert.ok((await tryFor(world, 30, leaseId => world.report(leaseId, 503))) > 10);
  assert.match(world.disabled[0] ?? '', /failed for a day/);
});

test('a webhook is not disabled if no notifier (process that sends deliveries) could send requests or report results for a day', async t => {
  const outages: Record<string, (world: HookWorld) => Promise<unknown>> = {
    'notifiers stop before they report': world => tryFor(world, 25),
    'the notifier has no network': world =>
      tryFor(world, 25, leaseId => world.report(leaseId, 0, { notSent: true })),
    'no notifier runs': async world => {
      world.clock.at += 25 * HOUR_MS;
    },
  };
  for (const [name, outage] of Object.entries(outages)) {
    const world = await HookWorld.open(t);
    const { id } = await world.create();
    await world.hooks.test(id);
    const [before] = await world.lease();
    world.report(before?.leaseId ?? 0, 503);
    await outage(world);
    world.clock.at += HOUR_MS;
    await world.hooks.test(id);
    world.clock.at += 3 * HOUR_MS;
    const [after] = await world.lease();
    assert.ok(after, name);
    world.report(after.leaseId, 503);
    assert.deepEqual(world.disabled, [], name);
  }
});

test('a webhook receiver that answers with status 410 gets no further delivery', async t => {
  const world = await HookWorld.open(t);
  const { id } = await world.create();
  await world.hooks.test(id);
  const [leased] = await world.lease();
  world.report(leased?.leaseId ?? 0, 410);
  assert.deepEqual(world.disabled, ['The receiver answered with status 410 (gone).']);
  assert.equal(world.hooks.deliveries.countOf(id), 0);
});

test('gsq disables a webhook whose token is revoked', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  world.offline();
  world.tokens.delete('tok_000000000001');
  assert.deepEqual(await world.events(), []);
  assert.match(world.hooks.webhooks.get(id)?.disabledReason ?? '', /revoked/);
});
