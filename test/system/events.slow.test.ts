/**
 * Tests streams of events with real processes: core, gateway and prober, and fake game servers whose maps change. Kills
 * and restarts the processes.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { ask } from '../gateway/ask.ts';
import { EventClient, type EventClientOptions } from './event-client.ts';
import { randomNumbers } from './random-numbers.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { ServiceProcess } from './service-process.ts';
import { Stack } from './stack.ts';
import { bootstrap, type ProcessName, stackDefaults } from './stack-settings.ts';
import { until } from './until.ts';

const headers = {
  'X-API-Token': bootstrap.token,
  'X-API-Token-Type': bootstrap.tier,
  'X-API-Token-Email': bootstrap.email,
};
const GAME = 'csgo';
const SERVERS = 3;
/** Maximum number of event streams that one client address can open without a token. */
const STREAMS_OF_STRANGER = 8;

let fleet: Fleet;
/**
 * Settings of the processes of the test. After the first start, they contain fixed addresses, so that a restarted
 * process gets the same ports.
 */
let settings: Record<string, string>;
const processes = new Map<ProcessName, ServiceProcess>();

async function start(name: ProcessName): Promise<void> {
  const started = await ServiceProcess.start(name, settings);
  Object.assign(settings, started.ready.addresses);
  processes.set(name, started);
}

function stop(name: ProcessName, signal?: 'SIGKILL'): Promise<number | NodeJS.Signals> {
  const { child } = processes.get(name) ?? {};
  assert.ok(child);
  return child.stop(signal);
}

function serverAt(index: number): string {
  const member = fleet.members[index];
  assert.ok(member);
  return `${member.address}:${member.server.port}`;
}

function changeMap(index: number, map: string): void {
  const member = fleet.members[index];
  assert.ok(member);
  member.server.map = map;
}

function gateway(): string {
  return settings.GSQ_HTTP_ADDR ?? '';
}

const pathOf = (...indexes: number[]): string =>
  `/v1/events?${indexes.map(i => `server=${GAME}/${serverAt(i)}`).join('&')}`;

/** Opens an event stream at the gateway, with the token of the tests. */
async function follow(t: TestContext, path: string, options: EventClientOptions = {}): Promise<EventClient> {
  const client = await EventClient.open(gateway(), path, {
    ...options,
    headers: { ...headers, ...options.headers },
  });
  t.after(() => client.close());
  assert.equal(client.status, 200, client.text);
  return client;
}

/**
 * Opens an event stream for a fake server, and changes the map of the server. Waits until the stream shows the new map.
 */
async function followFrom(t: TestContext, index: number, map: string): Promise<EventClient> {
  const client = await follow(t, pathOf(index));
  changeMap(index, map);
  await client.untilMap(serverAt(index), map);
  return client;
}

before(async () => {
  const random = randomNumbers(25);
  fleet = await Fleet.open(
    Array.from({ length: SERVERS }, (_, i) => ({
      protocol: 'a2s',
      address: `127.0.25.${i + 1}`,
      server: { ...fleetServer(random, 0), map: 'map0' },
    })),
  );
  settings = { ...stackDefaults, GSQ_DATA_DIR: join(scratchDirectory(), 'data') };
  await start('core');
  await Promise.all([start('gateway'), start('prober')]);
  const servers = fleet.members.map((_, i) => serverAt(i));
  const body = JSON.stringify({ servers: [{ game_id: GAME, servers }] });
  await until(
    'all servers online',
    () =>
      ask(gateway(), {
        method: 'POST',
        path: '/v1/post/fetch',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body,
      }),
    ({ text }) => text.split('"status":"online"').length === servers.length + 1,
  );
});

after(async () => {
  for (const name of ['prober', 'gateway', 'core'] as const) {
    const process = processes.get(name);
    if (process?.child.running) assert.equal(await process.child.stop(), 0, process.child.report);
  }
  await fleet?.close();
});

for (const [form, accept] of [
  ['server-sent events', 'text/event-stream'],
  ['lines of JSON', 'application/x-ndjson'],
] as const) {
  test(`a stream of ${form} contains a snapshot, and then each change of a server once and in order`, async t => {
    const client = await follow(t, pathOf(0, 1), { headers: { Accept: accept } });
    const maps = ['one', 'two', 'three', 'four'].map(map => `${map} ${accept}`);
    for (const map of maps) {
      for (const index of [0, 1]) changeMap(index, map);
      for (const index of [0, 1]) await client.untilMap(serverAt(index), map);
    }
    const [first, ...rest] = client.events.filter(({ event }) => event !== 'heartbeat');
    assert.equal(first?.event, 'snapshot');
    assert.deepEqual(
      first.data.servers?.map(({ server }) => server),
      [serverAt(0), serverAt(1)],
    );
    for (const index of [0, 1]) {
      const changes = rest.filter(({ data }) => data.server === serverAt(index));
      assert.deepEqual(
        changes.map(({ data }) => data.map),
        maps,
      );
    }
    assert.equal(rest.length, 2 * maps.length);
    assert.equal(new Set(rest.map(({ id }) => id)).size, rest.length);
  });
}

test('a client that reconnects to an event stream with Last-Event-ID gets the missed changes, and no snapshot', async t => {
  const first = await followFrom(t, 0, 'before the break');
  first.close();
  const witness = await follow(t, pathOf(0));
  changeMap(0, 'during the break');
  await witness.untilMap(serverAt(0), 'during the break');
  const second = await follow(t, pathOf(0, 1), { headers: { 'Last-Event-ID': first.lastId } });
  changeMap(0, 'after the break');
  await second.untilMap(serverAt(0), 'after the break');
  assert.deepEqual(second.mapsOf(serverAt(0)), ['during the break', 'after the break']);
  assert.ok(second.events.every(({ event }) => event !== 'snapshot'));
});

test('after a kill and restart of the core, an open event stream continues with a snapshot and then with changes', async t => {
  const client = await followFrom(t, 0, 'before the kill');
  const seen = client.events.length;
  await stop('core', 'SIGKILL');
  changeMap(0, 'while the core was dead');
  await start('core');
  await client.untilMap(serverAt(0), 'while the core was dead');
  changeMap(0, 'after the kill');
  await client.untilMap(serverAt(0), 'after the kill');
  assert.deepEqual(client.mapsOf(serverAt(0)).slice(-2), ['while the core was dead', 'after the kill']);
  // A killed core loses the probe results that it has not stored yet. Therefore the snapshot after its restart can show
  // an older game map than the client has already seen.
  assert.equal(client.events.slice(seen).find(({ event }) => event !== 'heartbeat')?.event, 'snapshot');
  assert.equal(client.ending, undefined);
});

test('an event stream through the gateway stays open, and gets changes, after a restart of the core by SIGTERM', async t => {
  const client = await followFrom(t, 1, 'before the restart');
  assert.equal(await stop('core'), 0);
  changeMap(1, 'during the restart');
  await start('core');
  await client.untilMap(serverAt(1), 'during the restart');
  assert.equal(client.ending, undefined);
});

test('a gateway that gets SIGTERM ends its event streams cleanly, and clients that reconnect get every change', async t => {
  const first = await followFrom(t, 2, 'before SIGTERM');
  const idle = await follow(t, pathOf(1), { isPaused: true });
  first.retryMs = undefined;
  assert.equal(await stop('gateway'), 0);
  await first.untilEnded();
  assert.equal(first.ending, 'clean');
  assert.ok(first.retryMs !== undefined && first.retryMs >= 1_000 && first.retryMs <= 5_000);
  idle.resume();
  await idle.untilEnded();
  assert.equal(idle.ending, 'clean');
  changeMap(2, 'while the gateway was away');
  await start('gateway');
  const second = await follow(t, pathOf(2), { headers: { 'Last-Event-ID': first.lastId } });
  await second.untilMap(serverAt(2), 'while the gateway was away');
  assert.ok(second.events.every(({ event }) => event !== 'snapshot'));
});

test('a client gets every change if the gateway is killed and the client reconnects with Last-Event-ID', async t => {
  const first = await followFrom(t, 2, 'before SIGKILL');
  await stop('gateway', 'SIGKILL');
  await first.untilEnded();
  assert.equal(first.ending, 'broken');
  changeMap(2, 'while the gateway was dead');
  await start('gateway');
  const second = await follow(t, pathOf(2), { headers: { 'Last-Event-ID': first.lastId } });
  await second.untilMap(serverAt(2), 'while the gateway was dead');
  assert.ok(second.events.every(({ event }) => event !== 'snapshot'));
});

test('an event stream without a token is refused with AUTH_1 if GSQ_PAGE is off', async () => {
  const client = await EventClient.open(gateway(), pathOf(0));
  await client.untilEnded();
  assert.equal(client.status, 401);
  assert.match(client.text, /"AUTH_1"/);
});

test('clients without a token can open eight event streams per IP address if GSQ_PAGE is on', async t => {
  const stack = await Stack.start({ env: { GSQ_PAGE: 'on' }, processes: ['core', 'gateway'] });
  t.after(() => stack.stop());
  const open = async (localAddress: string): Promise<EventClient> => {
    const client = await EventClient.open(stack.http, pathOf(0), { localAddress });
    t.after(() => client.close());
    return client;
  };
  const clients: EventClient[] = [];
  for (let i = 0; i < STREAMS_OF_STRANGER; i++) clients.push(await open('127.0.25.101'));
  assert.deepEqual(
    clients.map(({ status }) => status),
    Array(STREAMS_OF_STRANGER).fill(200),
  );
  const refused = await open('127.0.25.101');
  await refused.untilEnded();
  assert.equal(refused.status, 429);
  assert.match(refused.text, /"RATE_1"/);
  assert.equal((await open('127.0.25.102')).status, 200, 'another address has streams of its own');
  clients[0]?.close();
  await until(
    'a stream in place of the closed one',
    () => open('127.0.25.101'),
    ({ status }) => status === 200,
  );
});
