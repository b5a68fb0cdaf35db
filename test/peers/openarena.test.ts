import { test } from 'node:test';
import { Child } from '../system/child.ts';
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

/** A server for this machine alone (dedicated 1), known to no master server, with two bots to count. */
const argv = (port: number) => [
  ...['+set', 'net_enabled', '1', '+set', 'net_ip', '127.0.0.1', '+set', 'net_port', `${port}`],
  ...['+set', 'dedicated', '1', '+set', 'sv_master1', ''],
  ...['+set', 'sv_hostname', '^1Peer ^7Arena', '+set', 'sv_maxclients', '10'],
  ...['+map', 'oa_dm1', '+addbot', 'sarge', '1', '+addbot', 'grism', '2'],
];
