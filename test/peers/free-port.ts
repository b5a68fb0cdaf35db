import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Lowest port to try. All tried ports are below the ephemeral ports, which the kernel can give to a client socket at
 * any time.
 */
const FIRST = 28_000;
/** Number of ports from which `freePort` chooses at random. */
const COUNT = 4_000;

/** Returns a loopback port that no process uses, neither for TCP nor for UDP. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await tcpIsFree(port)) && (await udpIsFree(port))) return port;
  }
  throw new Error(`no free port from ${FIRST} on`);
}

async function tcpIsFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

async function udpIsFree(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1');
  try {
    await once(socket, 'listening');
  } catch {
    return false;
  }
  socket.close();
  await once(socket, 'close');
  return true;
}
