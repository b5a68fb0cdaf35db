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

test('OpenArena: pending, online as quakestat sees it, offline with its last data', async t => {
  const port = await freePort();
  const child = await Child.start('/usr/games/openarena-server', () => argv(port));
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = { gameId: 'openarena', port, child, ask: () => quakestat(port) };
  await settled(peer, 2);
  await followLife(peer);
});

test('OpenArena answers ten packets at once and then one a second: rate limited under its many names, never offline', async t => {
  const port = await freePort();
  const child = await Child.start('/usr/games/openarena-server', () => argv(port));
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = { gameId: 'openarena', port, child, ask: () => quakestat(port) };
  await settled(peer, 2);
  // What others lose tells how much our own line does.
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
  // What is lost has to be more than chance explains, and the names take turns.
  await until('a label', labels, seen => seen.includes('rate_limited'), 180_000);
});

/** Made-up servers in networks of their own. */
const OTHERS = 10;
/** Games that ask by the same protocol. */
const NAMES = ['openarena', 'q3a', 'urbanterror', 'tremulous'];

/** A server for this machine alone (dedicated 1), known to no master server, with two bots to count. */
const argv = (port: number) => [
  ...['+set', 'net_enabled', '1', '+set', 'net_ip', '127.0.0.1', '+set', 'net_port', `${port}`],
  ...['+set', 'dedicated', '1', '+set', 'sv_master1', ''],
  ...['+set', 'sv_hostname', '^1Peer ^7Arena', '+set', 'sv_maxclients', '10'],
  ...['+map', 'oa_dm1', '+addbot', 'sarge', '1', '+addbot', 'grism', '2'],
];
