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

/**
 * Returns a loopback port that no process uses, neither for TCP nor for UDP. The port belongs to this test process
 * until the process ends: no other call in this network namespace returns the same port, even while nothing listens on
 * it. So a server that a test kills can start again on its port. Needs Linux.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if ((await reserve(port)) && (await tcpIsFree(port)) && (await udpIsFree(port))) return port;
  }
  throw new Error(`no free port from ${FIRST} on`);
}

/**
 * Reserves a port for this process. Resolves with false if a process has already reserved it. The reservation is an
 * abstract Unix socket (unix(7)), which the kernel removes when the process ends.
 */
async function reserve(port: number): Promise<boolean> {
  const reservation = createServer().listen(`\0gsq-test-port-${port}`).unref();
  try {
    await once(reservation, 'listening');
    return true;
  } catch {
    return false;
  }
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
