/**
 * Tests webhooks with real processes: core, gateway, prober and notifier, fake game servers, and receivers that behave
 * badly.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, before, type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { type Answer, ask } from '../gateway/ask.ts';
import { type Received, type Receiver, startReceiver } from '../notifier/receiver.ts';
import { Authority } from './certificates.ts';
import { randomNumbers } from './random-numbers.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess } from './service-process.ts';
import { Stack } from './stack.ts';
import { bootstrap, stackDefaults } from './stack-settings.ts';
import { until } from './until.ts';

const headers = {
  'X-API-Token': bootstrap.token,
  'X-API-Token-Type': bootstrap.tier,
  'X-API-Token-Email': bootstrap.email,
  'Content-Type': 'application/json',
};

interface Delivered {
  id: string;
  event: string;
  game_id: string;
  server: string;
  before: { map?: string } | null;
  after: { map?: string } | null;
}

interface Attempt {
  delivery_id: string;
  http_status: number;
  error: string;
  next_attempt_at: string | null;
}

let stack: Stack;
let fleet: Fleet;
/** The running notifier process. One test kills this process and starts a new one. */
let notifier: ServiceProcess;

const addressOf = (index: number): string => {
  const member = fleet.members[index];
  assert.ok(member);
  return `${member.address}:${member.server.port}`;
};

async function call(method: string, path: string, body?: unknown): Promise<Answer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return ask(stack.http, { method, path, headers, ...(text !== undefined && { body: text }) });
}

before(async () => {
  const random = randomNumbers(24);
  fleet = await Fleet.open(
    Array.from({ length: 3 }, (_, i) => ({
      protocol: 'a2s',
      address: `127.0.24.${i + 1}`,
      server: { ...fleetServer(random, 0), map: 'map0' },
    })),
  );
  stack = await Stack.start();
  notifier = stack.process('notifier');
  const servers = fleet.members.map((_, i) => addressOf(i));
  await until(
    'all servers online',
    () => call('POST', '/v1/post/fetch', { servers: [{ game_id: 'csgo', servers }] }),
    ({ text }) => text.split('"status":"online"').length === servers.length + 1,
  );
});

after(async () => {
  if (notifier !== stack?.process('notifier')) await notifier?.child.stop();
  await stack?.stop();
  await fleet?.close();
});

/** Registers a webhook for changes of the map of one fake server. Returns its id and its secret. */
async function register(t: TestContext, url: string, index: number): Promise<{ id: string; secret: string }> {
  const answer = await call('POST', '/v1/webhooks', {
    url,
    servers: [{ game_id: 'csgo', servers: [addressOf(index)] }],
    events: [{ event: 'map' }],
    cooldown: '0s',
  });
  assert.equal(answer.status, 200, answer.text);
  const { webhook, secret } = answer.json as { webhook: { id: string }; secret: string };
  t.after(() => call('DELETE', `/v1/webhooks/${webhook.id}`));
  return { id: webhook.id, secret };
}

function changeMap(index: number, map: string): void {
  const member = fleet.members[index];
  assert.ok(member);
  member.server.map = map;
}

/** Waits until a webhook receiver has got `count` requests. Returns the bodies of the requests. */
async function bodies(receiver: Receiver, count: number): Promise<Delivered[]> {
  await until(
    `${count} deliveries`,
    () => receiver.received.length,
    length => length >= count,
  );
  return receiver.received.map(({ body }) => JSON.parse(body) as Delivered);
}

async function attempts(id: string): Promise<Attempt[]> {
  const { json } = await call('GET', `/v1/webhooks/${id}/deliveries`);
  return (json as { attempts: Attempt[] }).attempts;
}

function firstAttempt(id: string): Promise<Attempt[]> {
  return until(
    'an attempt in the log',
    () => attempts(id),
    ({ length }) => length > 0,
  );
}

const ok = (t: TestContext): Promise<Receiver> =>
  startReceiver(t, (_request, response) => response.end('ok'));

test('a webhook gets each change of a server once, in order, and with a valid signature', async t => {
  const receiver = await ok(t);
  const { secret } = await register(t, `${receiver.origin}/hook`, 0);
  const maps = ['map1', 'map2', 'map3', 'map4'];
  for (const [i, map] of maps.entries()) {
    changeMap(0, map);
    await bodies(receiver, i + 1);
  }
  const found = await bodies(receiver, maps.length);
  assert.deepEqual(
    found.map(({ after: now }) => now?.map),
    maps,
  );
  assert.deepEqual(
    found.map(({ before: was }) => was?.map),
    ['map0', ...maps.slice(0, -1)],
  );
  assert.ok(found.every(({ game_id, server }) => game_id === 'csgo' && server === addressOf(0)));
  assert.equal(new Set(found.map(({ id }) => id)).size, maps.length);
  for (const { body, headers: sent } of receiver.received) {
    new Webhook(secret).verify(body, sent as Record<string, string>);
  }
});

test('if a webhook receiver answers with HTTP status 500, gsq sends the delivery again with the same id', async t => {
  let failures = 1;
  const receiver = await startReceiver(t, (_request, response) => {
    response.statusCode = failures-- > 0 ? 500 : 204;
    response.end();
  });
  const { id } = await register(t, receiver.origin, 1);
  changeMap(1, 'again');
  const [first, second] = await bodies(receiver, 2);
  assert.equal(second?.id, first?.id);
  assert.equal(second?.after?.map, 'again');
  const log = await until(
    'both attempts in the log',
    () => attempts(id),
    ({ length }) => length === 2,
  );
  assert.deepEqual(
    log.map(({ http_status }) => http_status),
    [204, 500],
  );
  assert.equal(log[0]?.next_attempt_at, null);
  assert.notEqual(log[1]?.next_attempt_at, null);
});

test('a hanging webhook receiver does not delay the deliveries of other webhooks', async t => {
  const silent = createTcpServer(socket => socket.on('error', () => {}));
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  t.after(() => silent.close());
  const good = await ok(t);
  await register(t, `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`, 2);
  await register(t, good.origin, 2);
  changeMap(2, 'hang1');
  await bodies(good, 1);
  changeMap(2, 'hang2');
  assert.deepEqual(
    (await bodies(good, 2)).map(({ after: now }) => now?.map),
    ['hang1', 'hang2'],
  );
});

test('gsq follows no redirect of a webhook receiver, and shows the HTTP status of the redirect in the log of the webhook', async t => {
  const inside: Received[] = [];
  const target = await startReceiver(t, (request, response) => {
    inside.push(request);
    response.end();
  });
  const receiver = await startReceiver(t, (_request, response) => {
    response.writeHead(302, { location: target.origin }).end();
  });
  const { id } = await register(t, receiver.origin, 2);
  changeMap(2, 'redirect');
  const [attempt] = await firstAttempt(id);
  assert.equal(attempt?.http_status, 302);
  assert.deepEqual(inside, []);
});

test('a webhook receiver with an untrusted certificate gets no request', async t => {
  const { certificate, key } = new Authority(scratchDirectory()).issue('receiver', ['127.0.0.1']);
  const tls = { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  const receiver = await startReceiver(t, (_request, response) => response.end(), tls);
  const { id } = await register(t, receiver.origin, 2);
  changeMap(2, 'certificate');
  const [attempt] = await firstAttempt(id);
  assert.equal(attempt?.http_status, 0);
  assert.match(attempt?.error ?? '', /certificate/);
  assert.deepEqual(receiver.received, []);
});

test('no delivery of a webhook is lost if a notifier is killed', async t => {
  const receiver = await ok(t);
  await register(t, receiver.origin, 0);
  await notifier.child.stop('SIGKILL');
  changeMap(0, 'while dead');
  await until(
    'the delivery in the queue',
    () => call('GET', '/v1/webhooks'),
    ({ text }) => /"queued":[1-9]/.test(text),
  );
  notifier = await ServiceProcess.start('notifier', {
    ...stackDefaults,
    GSQ_INTERNAL_ADDR: stack.internal,
  });
  const [delivered] = await bodies(receiver, 1);
  assert.equal(delivered?.after?.map, 'while dead');
});
