/**
 * Tests with real processes whether gsq reports the right game servers as offline. The servers run in a second network
 * namespace, which drops 5 % of the packets in each direction. Requires Linux and root.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { networkOf } from '../../net/network.ts';
import type { Child } from './child.ts';
import { reachFarSide } from './far-network.ts';
import type { Arrival } from './packet-tap.ts';
import { nameOf, type SharedHostsOrder, type SharedHostsWish } from './shared-hosts-orders.ts';
import { Stack } from './stack.ts';
import { bootstrap } from './stack-settings.ts';
import { StatusHistory } from './status-history.ts';
import { until } from './until.ts';

const SERVERS = 10;
const FIRST_PORT = 27_015;
const PORTS = Array.from({ length: SERVERS }, (_, i) => FIRST_PORT + i);
/** Host with several game servers. During the test, one of these servers exits, and a second one stops answering. */
const MOSTLY_UP = '9.1.0.1';
/** Host on which all game servers stop during the test. */
const ALL_END = '9.2.0.1';
/** Host whose game servers all restart, with a downtime of 30 s. */
const RESTARTS = '9.3.0.1';
/** Host whose game servers all freeze: for 40 s, they keep their ports open but send no replies. */
const STANDS_STILL = '9.4.0.1';
const RESTART_MS = 30_000;
const STILL_MS = 40_000;
/** Addresses of twelve hosts with one game server each. Each host is in a different network. */
const OTHERS = Array.from({ length: 12 }, (_, i) => `8.8.${i}.8`);
const ENDED = FIRST_PORT + 3;
const SILENT = FIRST_PORT + 7;

/**
 * Minimum number of probes that each server gets before the test stops the first server. From these probes, the core
 * learns how many packets the network loses.
 */
const WARM_PROBES = 4;
/** Longest time until a server has its expected status, in milliseconds: three default probe intervals. */
const VERDICT_MS = 180_000;
/** Rate limits of docs/etiquette.md, in packets per second: to one address and to one network. */
const PACKETS = { anAddress: 4, aNetwork: 20 };
/**
 * Length of the time windows in which the test counts packets, in milliseconds. The rate limits apply to 1000 ms. The
 * windows are shorter, because packets that were sent during more than 1000 ms can arrive within 1000 ms.
 */
const SECOND_MS = 900;

const wish: SharedHostsWish = {
  interface: 'gsqfar',
  address: '100.64.0.2',
  peer: '100.64.0.1',
  networks: ['8.8.0.0/16', '9.0.0.0/8'],
  hosts: [
    ...[MOSTLY_UP, ALL_END, RESTARTS, STANDS_STILL].map(address => ({ address, servers: SERVERS })),
    ...OTHERS.map(address => ({ address, servers: 1 })),
  ],
  firstPort: FIRST_PORT,
  loss: 5,
};
const at = (address: string, ports = PORTS): string[] => ports.map(port => `${address}:${port}`);
const all = wish.hosts.flatMap(({ address, servers }) => at(address, PORTS.slice(0, servers)));

let farSide: Child;
let stack: Stack;
let history: StatusHistory;

before(async () => {
  farSide = await reachFarSide('test/system/shared-hosts.ts', wish);
  stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: '10s' } });
  await track(all);
  history = new StatusHistory(stack.grpc, 'csgo', all);
});

after(async () => {
  history?.stop();
  await farSide?.stop('SIGKILL');
  await stack?.stop();
});

/** Sends a command to the process that runs the fake game servers. Resolves with the answer of this process. */
async function order(wanted: SharedHostsOrder): Promise<unknown> {
  farSide.process.send(wanted);
  const [answer] = await once(farSide.process, 'message');
  return answer;
}

async function track(servers: readonly string[]): Promise<void> {
  const response = await fetch(`http://${stack.http}/v1/post/fetch`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-token': bootstrap.token,
      'x-api-token-type': bootstrap.tier,
      'x-api-token-email': bootstrap.email,
    },
    body: JSON.stringify({ servers: [{ game_id: 'csgo', servers }] }),
  });
  assert.equal(response.status, 200, stack.report);
}

const isOnline = (server: string): boolean => history.newest(server)?.status === 'SERVER_STATUS_ONLINE';
const isOffline = (server: string): boolean => history.newest(server)?.status === 'SERVER_STATUS_OFFLINE';
const wasOffline = (server: string): boolean =>
  history.of(server).some(({ status }) => status === 'SERVER_STATUS_OFFLINE');

/**
 * Waits until a condition is true for all these servers. After the time limit, fails with a list of the servers for
 * which the condition is still false.
 */
function untilAll(what: string, servers: readonly string[], is: (server: string) => boolean) {
  return until(
    what,
    () => servers.filter(server => !is(server)),
    missing => missing.length === 0,
    VERDICT_MS,
  );
}

function mostInASecond(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  sorted.forEach((time, i) => {
    while ((sorted[first] ?? 0) <= time - SECOND_MS) first++;
    most = Math.max(most, i - first + 1);
  });
  return most;
}

/** Returns an error message for each group of addresses that received more than `limit` packets in a second. */
function tooMany(arrivals: readonly Arrival[], groupOf: (to: string) => string, limit: number): string[] {
  const times = new Map<string, number[]>();
  for (const { to, at } of arrivals) {
    const group = groupOf(to);
    times.set(group, [...(times.get(group) ?? []), at]);
  }
  return [...times]
    .map(([group, own]) => ({ group, most: mostInASecond(own) }))
    .filter(({ most }) => most > limit)
    .map(({ group, most }) => `${most} packets in a second to ${group}`);
}

test('game servers that exit or stop answering go offline, and game servers that restart or freeze for at most 40 s stay online', async () => {
  await untilAll('everybody online', all, isOnline);
  await untilAll('everybody asked some times', all, server => history.of(server).length > WARM_PROBES);

  await order({ order: 'end', address: MOSTLY_UP, ports: [ENDED] });
  await order({ order: 'silence', address: MOSTLY_UP, ports: [SILENT] });
  await order({ order: 'end', address: ALL_END, ports: PORTS });
  await order({ order: 'end', address: RESTARTS, ports: PORTS });
  await order({ order: 'silence', address: STANDS_STILL, ports: PORTS });
  await pause(RESTART_MS);
  await order({ order: 'start', address: RESTARTS, ports: PORTS });
  await pause(STILL_MS - RESTART_MS);
  await order({ order: 'start', address: STANDS_STILL, ports: PORTS });

  await untilAll(
    'new data of all that restarted',
    at(RESTARTS),
    server => isOnline(server) && history.newest(server)?.name === nameOf(server, 2),
  );
  const gone = [...at(MOSTLY_UP, [ENDED, SILENT]), ...at(ALL_END)];
  await untilAll('all that ended offline', gone, isOffline);
  await untilAll('all that stood still online', at(STANDS_STILL), isOnline);

  assert.deepEqual(
    all.filter(wasOffline),
    gone.toSorted((a, b) => all.indexOf(a) - all.indexOf(b)),
  );
  for (const server of gone)
    assert.equal(history.newest(server)?.name, nameOf(server, 1), 'the last data stays');
  const arrivals = (await order({ order: 'arrivals' })) as Arrival[];
  assert.ok(arrivals.length > all.length * WARM_PROBES, 'too little came to prove anything');
  assert.deepEqual(
    tooMany(arrivals, to => to, PACKETS.anAddress),
    [],
  );
  assert.deepEqual(tooMany(arrivals, networkOf, PACKETS.aNetwork), []);
});
