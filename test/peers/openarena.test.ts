import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fleet } from '../fleet/fleet.ts';
import { fleetServer } from '../fleet/fleet-server.ts';
import { Child } from '../system/child.ts';
import { randomNumbers } from '../system/random-numbers.ts';
import { Stack } from '../system/stack.ts';
import { until } from '../system/until.ts';
import { fetchByRest } from './callers.ts';
import { freePort } from './free-port.ts';
import { followLife, type Peer, settled } from './life.ts';
import { quakestat } from './references.ts';

test('an OpenArena server is first pending, then online with the values that quakestat reports, then offline with its last data', async t => {
  const port = await freePort();
  const child = await Child.start('/usr/games/openarena-server', () => argv(port));
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = { gameId: 'openarena', port, child, ask: () => quakestat(port) };
  await settled(peer, 2);
  await followLife(peer);
});

test('an OpenArena server with its own rate limit gets the label rate_limited and is never reported offline', async t => {
  const port = await freePort();
  const child = await Child.start('/usr/games/openarena-server', () => argv(port));
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = { gameId: 'openarena', port, child, ask: () => quakestat(port) };
  await settled(peer, 2);
  // Adds fake servers that lose no packets. Their replies show the core that the network of the prober works.
  const random = randomNumbers(11);
  const others = Array.from({ length: OTHERS }, (_, i) => ({
    protocol: 'quake3',
    address: `127.51.${i}.1`,
    server: fleetServer(random, 0),
  }));
  const fleet = await Fleet.open(others);
  t.after(() => fleet.close());
  const stack = await Stack.start({ env: { GSQ_PROBE_INTERVAL: '500ms' } });
  t.after(() => stack.stop());
  for (const { address, server } of others) await fetchByRest(stack, 'q3a', `${address}:${server.port}`);
  const labels = async (): Promise<string[]> => {
    const all = await Promise.all(NAMES.map(game => fetchByRest(stack, game, `127.0.0.1:${port}`)));
    for (const { server } of all) assert.notEqual(server._updater.status, 'offline');
    return all.map(({ server }) => server._updater.firewall_label);
  };
  // The core sets the label `rate_limited` only after many probes. Therefore the test tracks the server under four game
  // ids, so that gsq probes it four times as often.
  await until('a label', labels, seen => seen.includes('rate_limited'), 180_000);
});

/** Number of fake servers. Each server is in its own network. */
const OTHERS = 10;
/** Game ids under which the test tracks the OpenArena server: four games with the same query protocol. */
const NAMES = ['openarena', 'q3a', 'urbanterror', 'tremulous'];

/**
 * Returns the command-line arguments of an OpenArena server that only this machine can reach. The server has two bots
 * as players, and uses no master server.
 */
const argv = (port: number) => [
  ...['+set', 'net_enabled', '1', '+set', 'net_ip', '127.0.0.1', '+set', 'net_port', `${port}`],
  ...['+set', 'dedicated', '1', '+set', 'sv_master1', ''],
  ...['+set', 'sv_hostname', '^1Peer ^7Arena', '+set', 'sv_maxclients', '10'],
  ...['+map', 'oa_dm1', '+addbot', 'sarge', '1', '+addbot', 'grism', '2'],
];
