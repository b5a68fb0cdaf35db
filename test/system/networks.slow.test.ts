import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import type { FleetMember } from '../fleet/station.ts';
import { randomNumbers } from './random-numbers.ts';
import { Stack } from './stack.ts';
import { bootstrap } from './stack-settings.ts';
import { until } from './until.ts';

/**
 * Ids of four games with the Quake 3 protocol. A server that is tracked under all four ids gets four times as many
 * probes.
 */
const DUPLICATES = ['openarena', 'q3a', 'urbanterror', 'tremulous'];
/**
 * Maximum time that the test waits until the core gives a server the label `rate_limited`, in ms. The core needs many
 * probes before it gives this label, because packets can also get lost by chance.
 */
const LABEL_MS = 180_000;
/**
 * Longest time until the core reports a silent server as offline, in ms. The core requires at least 55 s without any
 * reply.
 */
const VERDICT_MS = 180_000;
const CROWD = 40;
const NEIGHBOURS = 4;
/** The test waits until each silent server has left this many probes unanswered. */
const MISSED = 4;

const random = randomNumbers(11);
const member = (protocol: string, address: string): FleetMember => ({
  protocol,
  address,
  server: fleetServer(random, 0),
});
const limited: FleetMember = { ...member('quake3', '127.50.1.1'), behaviour: { rateLimit: 'ioquake3' } };
const house = Array.from({ length: NEIGHBOURS }, () => member('a2s', '127.50.2.1'));
const crowd = Array.from({ length: CROWD }, (_, i) => member('a2s', `127.51.${i}.1`));
/**
 * Index of the first server of the group `house` among all fake servers. The groups are `limited`, `house` and `crowd`,
 * in this order.
 */
const HOUSE = 1;
const FIRST_OF_CROWD = HOUSE + NEIGHBOURS;

interface Seen {
  status: string;
  firewall_label: string;
  last_online_at: string | null;
  last_probe_at: string | null;
  next_probe_at: string;
}

let fleet: Fleet;
let stack: Stack;

before(async () => {
  fleet = await Fleet.open([limited, ...house, ...crowd]);
  stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: '1s', GSQ_BURST_LIMIT: '1000' } });
});

after(async () => {
  await stack.stop();
  await fleet.close();
});

const addressOf = ({ address, server }: FleetMember): string => `${address}:${server.port}`;

async function look(gameId: string, members: readonly FleetMember[]): Promise<Seen[]> {
  const servers = members.map(addressOf);
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    },
    body: JSON.stringify({ servers: [{ game_id: gameId, servers }] }),
  });
  assert.equal(response.status, 200, stack.report);
  const body = (await response.json()) as Record<string, { _updater: Seen }>;
  return servers.map(server => {
    const seen = body[server]?._updater;
    assert.ok(seen, JSON.stringify(body));
    return seen;
  });
}

/** Returns the value of a Prometheus metric of the core. */
async function metric(name: string): Promise<number> {
  const response = await fetch(`http://${stack.process('core').address('GSQ_CORE_OPS_ADDR')}/metrics`);
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await response.text())?.[1]);
}

const online = (seen: readonly Seen[]): boolean => seen.every(({ status }) => status === 'online');

test('a server that answers only one packet per second gets the label rate_limited and never goes offline', async () => {
  const lookAll = async (): Promise<Seen[]> => {
    const all = (await Promise.all(DUPLICATES.map(game => look(game, [limited])))).flat();
    for (const { status } of all) assert.notEqual(status, 'offline');
    return all;
  };
  const pauseOf = ({ last_probe_at, next_probe_at }: Seen): number =>
    Date.parse(next_probe_at) - Date.parse(last_probe_at ?? next_probe_at);
  // Waits until the servers of the group `crowd` are online. Their replies show the core how many packets the prober's
  // network loses.
  await until('the crowd online', () => look('css', crowd), online);
  await until('all seen online once', lookAll, all => all.every(({ last_online_at }) => last_online_at));
  const isSlowed = (seen: Seen): boolean => seen.firewall_label === 'rate_limited' && pauseOf(seen) > 1_500;
  await until('a label and a longer pause', lookAll, all => all.some(isSlowed), LABEL_MS);
});

test('if one of several servers at an IP address stops answering, this server is shown offline with firewall_label=filtered', async () => {
  await until('the whole house online', () => look('css', house), online);
  fleet.behave(HOUSE, { silent: true });
  const seen = await until(
    'a verdict on the silent one',
    () => look('css', house),
    ([first]) => first?.status === 'offline',
    VERDICT_MS,
  );
  assert.deepEqual(
    seen.map(({ status, firewall_label }) => [status, firewall_label]),
    house.map((_, i) => (i === 0 ? ['offline', 'filtered'] : ['online', 'none'])),
  );
  fleet.behave(HOUSE, {});
  await until('it online again', () => look('css', house), online, VERDICT_MS);
});

test('if all servers stop answering together, no server goes offline, and gsq probes all servers again when they answer', async () => {
  await until('the crowd online', () => look('css', crowd), online);
  const heard = () => fleet.traffic.slice(FIRST_OF_CROWD).map(({ received }) => received);
  const everybody = HOUSE + NEIGHBOURS + CROWD;
  for (let i = 0; i < everybody; i++) fleet.behave(i, { silent: true });
  const before = heard();
  await until('probes that are missed', heard, now =>
    now.every((received, i) => received - (before[i] ?? 0) >= 2 * MISSED),
  );
  assert.equal(await metric('gsq_schedule_frozen'), 1);
  assert.ok((await metric('gsq_probes_ignored_total')) > 0);
  const meanwhile = await look('css', crowd);
  assert.ok(online(meanwhile), JSON.stringify(meanwhile));
  for (let i = HOUSE; i < everybody; i++) fleet.behave(i, {});
  await until(
    'news of all',
    () => look('css', crowd),
    seen =>
      seen.every(({ last_online_at }, i) => (last_online_at ?? '') > (meanwhile[i]?.last_online_at ?? '')),
  );
  assert.equal(
    await until(
      'the circuit to close',
      () => metric('gsq_schedule_frozen'),
      openCircuits => openCircuits === 0,
    ),
    0,
  );
});
