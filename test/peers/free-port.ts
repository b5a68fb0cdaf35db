import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports the kernel gives to clients, so that none of those takes it before the server does. */
const FIRST = 28_000;
const COUNT = 4_000;

/** A port of loopback on which nothing listens, neither by TCP nor by UDP. */
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
