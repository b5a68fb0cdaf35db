import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { HookWorld, OTHER, SERVER, URL_TEXT, when, wish } from './hook-world.ts';

const DAY_MS = 86_400_000;

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

test('the deliveries of one server are leased one after the other, in the order of their events', async t => {
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
  // The first delivery of the server failed, so the second one waits for it.
  assert.deepEqual(await world.lease(), []);
  await world.advance(10);
  assert.deepEqual(await world.events(), ['offline', 'online']);
});

test('a new event replaces the queued one of the same server and kind', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  for (let i = 0; i < 5; i++) {
    world.offline();
    world.online();
  }
  await world.settle();
  assert.equal(world.hooks.deliveries.countOf(id), 2);
  assert.equal(world.hooks.deliveries.replaced, 8);
});

test('a queued delivery stays if the store fails to write the one that replaces it', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ servers: [SERVER], conditions: [when('offline')] });
  world.offline();
  await world.settle();
  world.online();
  t.mock.method(world.level, 'commit', () => Promise.reject(new Error('the disk is full')), { times: 1 });
  world.offline();
  await world.settle();
  assert.equal(world.hooks.deliveries.countOf(id), 1);
  assert.deepEqual(await world.events(), ['offline']);
});

test('a delivery that replaces a failed one waits as long as that one', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create({ servers: [SERVER] });
  world.offline();
  const [leased] = await world.lease();
  world.report(leased?.leaseId ?? 0, 429, { retryAfterSeconds: 600 });
  world.online();
  world.offline();
  await world.advance(599);
  assert.deepEqual((await world.lease()).length, 0);
  await world.advance(2);
  const [online] = await world.lease();
  world.report(online?.leaseId ?? 0, 200);
  const [again] = await world.lease();
  assert.notEqual(again?.headers['webhook-id'], leased?.headers['webhook-id']);
  world.report(again?.leaseId ?? 0, 503);
  const { nextAt = 0, at = 0 } = world.hooks.attemptsOf(id)[0] ?? {};
  assert.ok(nextAt - at >= 24_000, 'the wait after the second failure');
});

test('a server that changes every second does not put off the edit of its Discord message', async t => {
  const world = await HookWorld.open(t);
  world.online();
  await world.create({ form: 'discord', oneMessage: true, servers: [SERVER], conditions: [] });
  const [posted] = await world.lease();
  world.report(posted?.leaseId ?? 0, 200, { body: '{"id":"1"}' });
  let edits = 0;
  for (let second = 0; second < 60; second++) {
    world.online(SERVER, second % 16);
    await world.advance(1);
    for (const { leaseId, method } of await world.lease()) {
      if (method === 'PATCH') edits++;
      world.report(leaseId, 200);
    }
  }
  assert.equal(edits, 6);
});

test('a webhook has at most 100 queued deliveries, and the oldest ones are dropped', async t => {
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

test('queued deliveries survive a restart of the core, and delivered ones do not return', async t => {
  const world = await HookWorld.open(t);
  world.online();
  world.online(OTHER);
  const { id } = await world.create();
  world.offline();
  assert.deepEqual(await world.events(), ['offline']);
  world.offline(OTHER);
  const [leased] = await world.lease();
  await world.restart();
  // A lease of the earlier process has ended.
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

test('a delivery that was in progress when a newer one was queued is sent once, also over restarts', async t => {
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

test('a failed delivery is repeated with growing waits, and the webhook is disabled after a day of failures', async t => {
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

test('a receiver that answers 410 gets no further delivery', async t => {
  const world = await HookWorld.open(t);
  const { id } = await world.create();
  await world.hooks.test(id);
  const [leased] = await world.lease();
  world.report(leased?.leaseId ?? 0, 410);
  assert.deepEqual(world.disabled, ['The receiver answered with status 410 (gone).']);
  assert.equal(world.hooks.deliveries.countOf(id), 0);
});

test('Retry-After makes the wait longer, but not longer than an hour', async t => {
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

test('a delivery whose result is not reported is leased again with the same id', async t => {
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

test('all tokens together send at most 60 deliveries a minute to one host', async t => {
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

test('a webhook whose token is revoked is disabled', async t => {
  const world = await HookWorld.open(t);
  world.online();
  const { id } = await world.create();
  world.offline();
  world.tokens.delete('tok_000000000001');
  assert.deepEqual(await world.events(), []);
  assert.match(world.hooks.webhooks.get(id)?.disabledReason ?? '', /revoked/);
});

test('a Discord webhook with one_message posts a message, then edits it, and posts a new one if it was deleted', async t => {
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

test('the URL and the secret of a webhook are nowhere in the data directory in clear', async t => {
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

test('nothing of a deleted webhook remains in the store', async t => {
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
