import { writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Child } from '../system/child.ts';
import { freePort } from './free-port.ts';
import { followLife, type Peer, settled } from './life.ts';
import { gamedig } from './references.ts';

test('an OpenTTD server is first pending, then online with the values gamedig reports, then offline with its last data', async t => {
  const port = await freePort();
  const child = await Child.start('/usr/games/openttd', home => prepare(home, port));
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = { gameId: 'openttd', port, child, ask: () => gamedig('openttd', port) };
  await settled(peer, 0);
  const visitor = join13(port);
  t.after(() => visitor.destroy());
  await settled(peer, 1);
  await followLife(peer);
});

/**
 * Configures an OpenTTD server with a small map and long timeouts for a slow client. The server does not announce
 * itself. Returns the arguments of the server.
 */
async function prepare(home: string, port: number): Promise<string[]> {
  const settings = [
    ...[
      '[network]',
      'server_name = Peer Transport & Co',
      'server_game_type = local',
      'max_clients = 7',
      'max_init_time = 32000',
    ],
    ...['[game_creation]', 'map_x = 6', 'map_y = 6'],
  ];
  await writeFile(join(home, 'openttd.cfg'), settings.join('\n'));
  return ['-D', `127.0.0.1:${port}`, '-c', join(home, 'openttd.cfg')];
}

const CLIENT_JOIN = 2;
const SPECTATOR = 255;
/**
 * Version number that OpenTTD 13.0 sends, in the NewGRF format. It contains the major version plus 16, the release bit
 * and a revision number.
 */
const NEWGRF_VERSION = ((13 + 16) << 24) | (1 << 19) | 28004;

/**
 * Joins as an OpenTTD 13.0 client and then stays silent. The server counts the waiting client as a player.
 */
function join13(port: number): Socket {
  const version = Buffer.alloc(4);
  version.writeUInt32LE(NEWGRF_VERSION);
  const body = [CLIENT_JOIN, '13.0\0', version, 'visitor\0', SPECTATOR].map(part =>
    typeof part === 'number' ? Buffer.of(part) : Buffer.from(part),
  );
  const size = Buffer.alloc(2);
  const packet = Buffer.concat([size, ...body]);
  packet.writeUInt16LE(packet.length);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {}); // the test kills the server while this connection is open
  socket.write(packet);
  return socket;
}
