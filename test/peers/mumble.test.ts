import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { Child } from '../system/child.ts';
import { freePort } from './free-port.ts';
import { followLife, type Peer, settled } from './life.ts';
import { gamedig } from './references.ts';

test('a Mumble server is first pending, then online with the values gamedig reports, then offline with its last data', async t => {
  const port = await freePort();
  const child = await Child.start('/usr/sbin/murmurd', home => prepare(home, port));
  t.after(() => child.stop('SIGKILL'));
  const peer: Peer = {
    gameId: 'mumble',
    port,
    child,
    // The answer to a Mumble ping contains no name, so gsq shows the address as the name.
    ask: async () => {
      const facts = await gamedig('mumble', port);
      return facts && { ...facts, name: `127.0.0.1:${port}` };
    },
  };
  await settled(peer, 0);
  const visitor = enter(port);
  t.after(() => visitor.destroy());
  await settled(peer, 1);
  await followLife(peer);
});

/**
 * Configures a Mumble server, and returns its command-line arguments. The server is not listed publicly, and accepts a
 * client that sends no pings.
 */
async function prepare(home: string, port: number): Promise<string[]> {
  const settings = {
    database: join(home, 'mumble.sqlite'),
    pidfile: join(home, 'pid'),
    logfile: '',
    uname: 'root',
    host: '127.0.0.1',
    port,
    users: 42,
    timeout: 600,
    allowping: true,
    bonjour: false,
  };
  const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
  await writeFile(join(home, 'mumble.ini'), lines);
  return ['-fg', '-ini', join(home, 'mumble.ini')];
}

/** Encodes a message of the control channel of Mumble: type, length and protobuf body. */
function message(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt16BE(type, 0);
  head.writeUInt32BE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** Mumble message `Version` with the client version 1.3.4. */
const VERSION = message(0, Buffer.from('08848604', 'hex'));
/** Mumble message `Authenticate` with the user name `visitor` and support of the codec Opus. */
const AUTHENTICATE = message(2, Buffer.concat([Buffer.from('\n\x07visitor'), Buffer.from('2801', 'hex')]));

function enter(port: number): TLSSocket {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  socket.on('error', () => {}); // the test kills the server while this connection is open
  socket.resume();
  socket.write(Buffer.concat([VERSION, AUTHENTICATE]));
  return socket;
}
