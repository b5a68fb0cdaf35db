import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HookWorld, SERVER } from './hook-world.ts';

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
