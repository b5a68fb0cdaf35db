import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Webhook } from '../../../core/webhooks/webhook.ts';
import { HookWorld, OTHER, SERVER, URL_TEXT, wish } from './hook-world.ts';

test('the official library of Standard Webhooks accepts the signature of a delivery', async t => {
  const world = await HookWorld.open(t);
  world.clock.at = Date.now();
  world.online();
  const { secret } = await world.hooks.create(world.token('tok_000000000001'), wish());
  world.offline();
  const [leased] = await world.lease();
  assert.ok(leased);
  const body = new Verifier(secret).verify(leased.body, leased.headers) as Record<string, unknown>;
  assert.deepEqual(Object.keys(body), ['id', 'event', 'at', 'game_id', 'server', 'before', 'after']);
  assert.equal(body.id, leased.headers['webhook-id']);
  assert.equal(body.at, new Date(world.clock.at).toISOString());
  assert.deepEqual([leased.method, leased.url], ['POST', URL_TEXT]);
  assert.throws(() => new Verifier(secret).verify(`${leased.body} `, leased.headers));
});

test('a webhook sends the deliveries of one server one at a time, in the order of their events', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.online(OTHER);
  await world.create();
  world.offline();
  world.online();
  world.offline(OTHER);
  const first = await world.lease();
  assert.deepEqual(
    first.map(({ body }) => JSON.parse(body.toString()).event),
    ['offline', 'offline'],
  );
  world.report(first[0]?.leaseId ?? 0, 500);
  // The webhook could not deliver the first event of the server. The second event must wait until the first one is
  // delivered.
  assert.deepEqual(await world.lease(), []);
  await world.advance(10);
  assert.deepEqual(await world.events(), ['offline', 'online']);
});

test('a webhook queues at most 100 deliveries, and discards its oldest deliveries above this limit', async t => {
  const world = await HookWorld.open(t);
  const servers = Array.from({ length: 120 }, (_, i) => `csgo 192.0.2.7:${20_000 + i}`);
  for (const server of servers) world.online(server);
  const { id } = await world.create({ servers });
  for (const server of servers) world.offline(server);
  await world.settle();
  assert.equal(world.hooks.deliveries.countOf(id), 100);
  const delivered: string[] = [];
  for (let minute = 0; minute < 3; minute++) {
    delivered.push(...(await world.deliverAll()).map(({ server }) => server));
    world.clock.at += 61_000;
  }
  assert.deepEqual(
    delivered.sort(),
    servers
      .slice(20)
      .map(server => server.slice('csgo '.length))
      .sort(),
  );
});

test('gsq discards the oldest deliveries of a token when the queued payloads of this token together exceed 8 MiB', async t => {
  const world = await HookWorld.open(t);
  const { deliveries } = world.hooks;
  const first = await world.create();
  const second = await world.create();
  const other = await world.create({}, 'tok_000000000002');
  const before = JSON.stringify('x'.repeat(1024 * 1024));
  const add = (webhook: Webhook, n: number): Promise<string> => {
    const server = `csgo 192.0.2.7:${20_000 + n}`;
    return deliveries.addDelivery(webhook, {
      event: 'offline',
      server,
      at: n,
      before,
      after: 'null',
      notBefore: 0,
    });
  };
  const counts = (): number[] => [first, second, other].map(({ id }) => deliveries.countOf(id));
  for (let n = 0; n < 5; n++) await add(other, n);
  for (let n = 0; n < 7; n++) await add(first, n);
  for (let n = 0; n < 4; n++) await add(second, n);
  assert.deepEqual(counts(), [3, 4, 5]);
  t.mock.method(world.level, 'commit', () => Promise.reject(new Error('the disk is full')), { times: 1 });
  await assert.rejects(add(second, 4), /the disk is full/);
  assert.deepEqual(counts(), [3, 4, 5]);
  await add(second, 4);
  await world.restart();
  const delivered = await world.deliverAll();
  assert.deepEqual(delivered.map(({ server }) => Number(server.slice(-1))).sort(), [
    ...[0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
    ...[5, 6],
  ]);
});

test('after a restart of the core, the queued webhook deliveries are still queued, and completed deliveries are not', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.online(OTHER);
  const { id } = await world.create();
  world.offline();
  assert.deepEqual(await world.events(), ['offline']);
  world.offline(OTHER);
  const [leased] = await world.lease();
  await world.restart();
  // The restart of the core ended all leases of deliveries. Therefore a report with a lease from before the restart
  // must have no effect.
  world.report(leased?.leaseId ?? 0, 200);
  const delivered = await world.deliverAll();
  assert.deepEqual(
    delivered.map(({ server }) => server),
    ['192.0.2.2:27015'],
  );
  assert.equal(delivered[0]?.id, leased?.headers['webhook-id']);
  await world.restart();
  assert.deepEqual(await world.events(), []);
  assert.equal(world.hooks.attemptsOf(id).length, 2);
});

test('gsq repeats a failed webhook delivery before newer deliveries, and repeats no successful delivery after a restart', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ servers: [SERVER] });
  world.offline();
  const [leased] = await world.lease();
  world.online();
  world.offline();
  await world.settle();
  world.report(leased?.leaseId ?? 0, 500);
  await world.settle();
  await world.restart();
  await world.advance(10);
  assert.deepEqual(await world.events(), ['offline', 'online', 'offline']);
  await world.settle();
  await world.restart();
  assert.deepEqual(await world.events(), []);
});
