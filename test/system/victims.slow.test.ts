/**
 * Tests whether gsq with three probers limits its packets while callers with a thousand tokens attack one address and
 * one network. All packets go through a virtual cable between two Linux network namespaces.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { networkOf } from '../../net/network.ts';
import { clients, internalMetadata } from '../../proto/clients.ts';
import type { CreateTokenResponse__Output } from '../../proto/generated/gsq/v1/CreateTokenResponse.ts';
import type { GetStatsResponse__Output } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import { unary } from '../core/rpc/answer.ts';
import type { Child } from './child.ts';
import { reachFarSide } from './far-network.ts';
import type { FarSideWish } from './far-side.ts';
import type { Arrival } from './packet-tap.ts';
import { randomNumbers } from './random-numbers.ts';
import { Stack } from './stack.ts';
import { bootstrap, INTERNAL_SECRET } from './stack-settings.ts';
import { until } from './until.ts';

const VICTIM = '9.20.30.40';
const NETWORK = '9.10.11';
const HOSTILE_TOKENS = 1000;
const PAIRS_EACH = 40;
/** Games in the requests of the attackers. gsq queries csgo by UDP and minecraft by TCP. */
const HOSTILE_GAMES = ['csgo', 'minecraft'];
const REQUESTS_AT_ONCE = 4;
/** Minimum time during which the test records packets after the attack on game servers has begun, in milliseconds. */
const WATCH_MS = 40_000;

/** Rate limits of docs/etiquette.md, in packets per second: to one address and to one network. */
const PACKETS = { anAddress: 4, aNetwork: 20 };
/**
 * Length of the time window in which the test counts packets, in ms. The rate limits apply to 1000 ms. The window is
 * shorter, because on a busy machine, packets that were sent during more than 1000 ms can arrive within 1000 ms.
 */
const SECOND_MS = 900;
/**
 * Maximum numbers of tracked servers that have never answered: at one address and in one network (docs/operations.md).
 */
const UNPROVEN = { anAddress: 256, aNetwork: 1024 };

/**
 * Number of cores in the test. Each core has its own limit for a network, so several cores can track more servers of
 * one network.
 */
const CORES = Number(process.env.TEST_CORES ?? 1);
const MOST_TRACKED = UNPROVEN.anAddress + CORES * UNPROVEN.aNetwork;

const GAME_PORT = 27_015;
/** Addresses of game servers that are not attacked. Each address is in a different network. */
const honestServers = Array.from({ length: 20 }, (_, i) => `8.8.${i}.8`);
const laterServers = Array.from({ length: 5 }, (_, i) => `8.9.${i}.8`);
const wish: FarSideWish = {
  interface: 'gsqfar',
  address: '100.64.0.2',
  peer: '100.64.0.1',
  networks: ['8.8.0.0/16', '8.9.0.0/16', `${NETWORK}.0/24`, `${VICTIM}/32`],
  games: [...honestServers, ...laterServers],
  port: GAME_PORT,
};

interface Credentials {
  token: string;
  tier: string;
  email: string;
}

interface Answer {
  _meta: { inserted_servers: unknown[]; invalid_servers: { reason: string }[] };
  [address: string]: { _updater?: { status: string }; name?: string } | Answer['_meta'];
}

let farSide: Child;
let stack: Stack;

before(async () => {
  farSide = await reachFarSide('test/system/far-side.ts', wish);
  stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: '2s', GSQ_UNPROVEN_PROBES: '3' }, probers: 3 });
  await until('three probers', stats, ({ probers }) => probers === 3);
});

after(async () => {
  await farSide?.stop('SIGKILL');
  await stack?.stop();
});

/** Returns each packet that the fake game servers have received since the last call of this function. */
async function arrivals(): Promise<Arrival[]> {
  farSide.process.send('arrivals');
  const [all] = await once(farSide.process, 'message');
  return all;
}

async function fetchServers(
  { token, tier, email }: Credentials,
  servers: readonly { game_id: string; servers: string[] }[],
  wait = 0,
): Promise<Answer> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': token,
      'x-api-token-type': tier,
      'x-api-token-email': email,
      ...(wait > 0 && { prefer: `wait=${wait}` }),
    },
    body: JSON.stringify({ servers }),
  });
  assert.equal(response.status, 200, stack.report);
  return (await response.json()) as Answer;
}

const withPort = (host: string): string => `${host}:${GAME_PORT}`;

/** Fetches servers with the token of a caller who is no attacker. Returns the answer, and the servers in the answer. */
async function honest(hosts: readonly string[], wait = 0) {
  const servers = hosts.map(withPort);
  const answer = await fetchServers(bootstrap, [{ game_id: 'csgo', servers }], wait);
  return {
    answer,
    rows: servers.map(server => answer[server] as { _updater: { status: string }; name?: string }),
  };
}

const allOnline = ({ rows }: Awaited<ReturnType<typeof honest>>): boolean =>
  rows.every(row => row._updater.status === 'online' && row.name !== undefined);

async function admin<T>(use: (client: ReturnType<typeof clients.admin>) => Promise<T>): Promise<T> {
  const client = clients.admin(stack.internal);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const secret = internalMetadata(INTERNAL_SECRET);

function createTokens(count: number): Promise<Credentials[]> {
  return admin(client =>
    Promise.all(
      Array.from({ length: count }, async (_, i) => {
        const wanted = { tier: 'FREE', email: `hostile${i}@example.com` };
        const made = await unary<CreateTokenResponse__Output>(done =>
          client.createToken(wanted, secret, done),
        );
        return { token: made.secret, ...wanted };
      }),
    ),
  );
}

function stats(): Promise<GetStatsResponse__Output> {
  return admin(client => unary(done => client.getStats({}, secret, done)));
}

/**
 * Returns the servers of one attack request, grouped by game. Half are at the attacked address, half at random
 * addresses of the attacked network.
 */
function hostilePairs(below: (below: number) => number) {
  const servers = Array.from({ length: PAIRS_EACH }, (_, i) => {
    const host = i % 2 === 0 ? VICTIM : `${NETWORK}.${below(256)}`;
    return `${host}:${20_000 + below(5_000)}`;
  });
  const half = PAIRS_EACH / 2;
  return HOSTILE_GAMES.map((game_id, i) => ({ game_id, servers: servers.slice(i * half, (i + 1) * half) }));
}

/**
 * Returns the maximum number of packets within any window of SECOND_MS milliseconds. `times` contains the arrival times
 * of the packets.
 */
function mostInASecond(times: readonly number[]): number {
  let most = 0;
  let from = 0;
  for (const [to, time] of times.entries()) {
    while (time - (times[from] ?? 0) > SECOND_MS) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

const grouped = (all: readonly Arrival[], key: (to: string) => string): Map<string, number[]> => {
  const times = new Map<string, number[]>();
  for (const { to, at } of all) times.set(key(to), [...(times.get(key(to)) ?? []), at]);
  return times;
};

test(`three probers respect the packet limits while ${HOSTILE_TOKENS} attackers add servers at one address and in one network`, async t => {
  await until('the honest servers online', () => honest(honestServers), allOnline);
  const tokens = await createTokens(HOSTILE_TOKENS);
  let trackedBefore = (await stats()).tracked;
  await arrivals();

  // Records the packets to the honest caller's servers before the attack, to compare them with the packets during the
  // attack.
  await pause(WATCH_MS / 4);
  const quiet = (await arrivals()).filter(({ to }) => honestServers.includes(to));

  const below = randomNumbers(9);
  const startedAt = performance.now();
  let next = 0;
  let refused = 0;
  const attack = async (): Promise<void> => {
    for (let token = tokens[next++]; token; token = tokens[next++]) {
      const { _meta } = await fetchServers(token, hostilePairs(below));
      refused += _meta.invalid_servers.filter(({ reason }) => reason === 'insert_quota').length;
    }
  };
  const attacks = Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, attack));
  let looks = 0;
  const seen: Arrival[] = [];
  const watch = async (): Promise<void> => {
    const served = await honest(honestServers);
    assert.ok(allOnline(served), JSON.stringify(served.rows));
    assert.deepEqual(served.answer._meta.invalid_servers, []);
    const { tracked } = await stats();
    assert.ok(tracked <= trackedBefore + MOST_TRACKED, `${tracked} tracked`);
    seen.push(...(await arrivals()));
    looks++;
    await pause(250);
  };
  while (next <= HOSTILE_TOKENS) await watch();
  await attacks;
  const tracked = (await stats()).tracked - trackedBefore;
  const attackedMs = performance.now() - startedAt;

  const later = await honest(laterServers, 5);
  assert.equal(later.answer._meta.inserted_servers.length, laterServers.length);
  await until('the servers that came later online', () => honest(laterServers), allOnline);
  trackedBefore += laterServers.length;
  while (performance.now() - startedAt < WATCH_MS) await watch();

  const listed = await admin(client =>
    unary<{ servers: { server: string }[] }>(done => client.listServers({ pageSize: 10_000 }, secret, done)),
  );
  const atVictim = listed.servers.filter(({ server }) => server.startsWith(`${VICTIM}:`)).length;
  const hostile = seen.filter(({ to }) => to === VICTIM || networkOf(to) === NETWORK);
  const byAddress = grouped(hostile, to => to);
  const byNetwork = grouped(hostile, networkOf);
  const perSecond = (count: number): number => (count * 1000) / (performance.now() - startedAt);
  t.diagnostic(
    `${HOSTILE_TOKENS * PAIRS_EACH} pairs in ${Math.round(attackedMs)} ms, ${refused} refused, ${tracked} tracked, ${atVictim} of them at the address at the end`,
  );
  t.diagnostic(
    `packets a second: ${perSecond(byAddress.get(VICTIM)?.length ?? 0).toFixed(1)} to the address, ${perSecond(byNetwork.get(NETWORK)?.length ?? 0).toFixed(1)} to the network; honest caller looked ${looks} times`,
  );

  // Checks that the attack took place and that probes of the attacked servers arrived. Without an attack, the remaining
  // checks would prove nothing.
  assert.ok(refused > (HOSTILE_TOKENS * PAIRS_EACH) / 2, `${refused}`);
  assert.ok(tracked > UNPROVEN.aNetwork / 2, `${tracked}`);
  assert.ok((byAddress.get(VICTIM)?.length ?? 0) > WATCH_MS / 2000, 'too little came to prove anything');
  assert.ok((byNetwork.get(NETWORK)?.length ?? 0) > (WATCH_MS / 1000) * PACKETS.anAddress);

  for (const [address, times] of byAddress) {
    const most = mostInASecond(times);
    assert.ok(most <= PACKETS.anAddress, `${most} packets in a second to ${address}`);
  }
  for (const [network, times] of byNetwork) {
    const most = mostInASecond(times);
    assert.ok(most <= PACKETS.aNetwork, `${most} packets in a second to ${network}`);
  }
  assert.ok(atVictim <= UNPROVEN.anAddress, `${atVictim} at the address`);

  // During the attack, each server of the honest caller must get at least half as many packets per second as before.
  const inQuiet = grouped(quiet, to => to);
  const inStorm = grouped(seen, to => to);
  for (const address of honestServers) {
    const before = (inQuiet.get(address)?.length ?? 0) * 4;
    const during = inStorm.get(address)?.length ?? 0;
    assert.ok(before > 0, address);
    assert.ok(during >= before / 2, `${address} was asked ${during} times instead of ${before}`);
  }
});
