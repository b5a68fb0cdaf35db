import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { scriptArguments } from '../../runtime/script.ts';
import { Child } from '../system/child.ts';
import { freePort } from './free-port.ts';
import { followLife, type Peer, settled } from './life.ts';
import { requirePeer, VERSION } from './minecraft/package.ts';
import { gamedig } from './references.ts';

test('a Minecraft Java server is first pending, then online with the values gamedig reports, then offline with its last data', async t => {
  const port = await freePort();
  const argv = [...scriptArguments('test/peers/minecraft/server.ts'), `${port}`];
  const child = await Child.start(process.execPath, () => argv);
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = { gameId: 'minecraft', port, child, ask: () => gamedig('minecraft', port) };
  await settled(peer, 0);
  const visitor = enter(port);
  t.after(() => visitor.destroy());
  await settled(peer, 1);
  await followLife(peer);
});

function enter(port: number): Socket {
  const { createClient } = requirePeer('minecraft-protocol');
  const options = { host: '127.0.0.1', port, username: 'visitor', auth: 'offline', version: VERSION };
  const client: EventEmitter & { socket: Socket } = createClient(options);
  client.on('error', () => {}); // the test kills the server while this connection is open
  return client.socket;
}
