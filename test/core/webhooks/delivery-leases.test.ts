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

test('Retry-After in the answer of a webhook receiver extends the wait before the next attempt, but to one hour at most', async t => {
  for (const [asked, expected] of [
    [600, 600_000],
    [1_000_000, 3_600_000],
  ] as const) {
    const world = await HookWorld.open(t);
    const { id } = await world.create();
    await world.hooks.test(id);
    const [leased] = await world.lease();
    world.report(leased?.leaseId ?? 0, 429, { retryAfterSeconds: asked });
    assert.equal(world.hooks.attemptsOf(id)[0]?.nextAt, world.clock.at + expected);
  }
});

test('Retry-After delays all deliveries of a webhook except test deliveries, and does not delay other webhooks', async t => {
  const world = await HookWorld.open(t);
  const servers = Array.from({ length: 40 }, (_, i) => `csgo 192.0.2.7:${20_000 + i}`);
  for (const server of servers) world.online(server);
  const { id } = await world.create({ servers });
  for (const server of servers) world.offline(server);
  const first = await world.lease();
  assert.equal(first.length, 4);
  for (const { leaseId } of first) world.report(leaseId, 429, { retryAfterSeconds: 3_600 });
  await world.advance(60);
  assert.deepEqual(await world.lease(), []);
  world.online(servers[39]);
  await world.hooks.test(id);
  await world.create({ servers }, 'tok_000000000002');
  world.offline(servers[39]);
  assert.deepEqual(await world.events(), ['test', 'offline']);
  await world.advance(3_540);
  assert.ok((await world.lease()).length > 0);
});

test('a leased webhook delivery is leased again, with the same webhook-id, if no result is reported', async t => {
  const world = await HookWorld.open(t);
  const { id } = await world.create();
  await world.hooks.test(id);
  const [first] = await world.lease();
  assert.deepEqual(await world.lease(), []);
  await world.advance(40);
  const [second] = await world.lease();
  assert.notEqual(second?.leaseId, first?.leaseId);
  assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
});

test('gsq sends at most 60 webhook deliveries a minute to one host, for the webhooks of all tokens together', async t => {
  const world = await HookWorld.open(t);
  const one = Array.from({ length: 50 }, (_, i) => `csgo 192.0.2.7:${20_000 + i}`);
  for (const server of one) world.online(server);
  await world.create({ servers: one });
  await world.create({ servers: one, url: 'https://hooks.example/other' }, 'tok_000000000002');
  for (const server of one) world.offline(server);
  assert.equal((await world.deliverAll()).length, 60);
  world.clock.at += 61_000;
  assert.equal((await world.deliverAll()).length, 40);
});

test('the limit of webhook deliveries to one host does not count deliveries that wait for the record of their server', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.unread.add(SERVER);
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER] });
  for (let i = 0; i < 70; i++) {
    assert.deepEqual(await world.lease(), []);
    world.clock.at += 500;
  }
  const { id } = await world.create({}, 'tok_000000000002');
  await world.hooks.test(id);
  assert.deepEqual(await world.events(), ['test']);
});

test('the limit of webhook deliveries to one host counts all ports and all spellings of the host together', async t => {
  const world = await HookWorld.open(t);
  world.online();
  for (const host of ['v.example', 'V.example.', 'v.example:2096', 'v.example.:8443'])
    await world.create({ url: `https://${host}/` });
  let sent = 0;
  for (let i = 0; i < 20; i++) {
    world.offline();
    sent += (await world.deliverAll()).length;
    world.online();
    sent += (await world.deliverAll()).length;
  }
  assert.equal(sent, 60);
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

test('a Discord webhook with one_message posts a message, edits this message later, and posts a new one if it was deleted', async t => {
  const world = await HookWorld.open(t);
  const url = 'https://discord.example/api/webhooks/1/secret';
  world.online();
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER], url });
  const [posted] = await world.lease();
  assert.deepEqual([posted?.method, posted?.url, posted?.wantsBody], ['POST', `${url}?wait=true`, true]);
  world.report(posted?.leaseId ?? 0, 200, { body: '{"id":"123456"}' });
  world.online(SERVER, 4);
  world.online(SERVER, 5);
  assert.deepEqual(await world.lease(), []);
  await world.restart();
  await world.advance(10);
  const [edited] = await world.lease();
  assert.deepEqual([edited?.method, edited?.url], ['PATCH', `${url}/messages/123456`]);
  assert.match(edited?.body.toString() ?? '', /5 \/ 16/);
  world.report(edited?.leaseId ?? 0, 404);
  const [again] = await world.lease();
  assert.equal(again?.method, 'POST');
});

test('a Discord message about a server of another core is sent only after gsq has read the record of the server from that core', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.unread.add(SERVER);
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER] });
  assert.deepEqual(await world.lease(), []);
  await world.advance(1);
  assert.deepEqual(await world.lease(), []);
  world.unread.clear();
  await world.advance(1);
  const [posted] = await world.lease();
  assert.match(posted?.body.toString() ?? '', /3 \/ 16/);
});
