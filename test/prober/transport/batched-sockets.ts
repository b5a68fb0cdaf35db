import { after } from 'node:test';
import {
  bindNodeSocket,
  type DatagramEndpoint,
  type Family,
} from '../../../prober/transport/datagram-socket.ts';
import { until } from '../../system/until.ts';
import { endpointAt } from '../endpoint-at.ts';
import { openBatched } from './open-batched.ts';

/** Loopback address of each address family. */
export const LOOPBACK = { udp4: '127.0.0.1', udp6: '::1' } as const;
/** UDP port on which no process listens, because the system never assigns this port. */
export const CLOSED_PORT = 9;
/** Maximum number of packets that a batched socket sends with one system call. */
export const BATCH = 64;
/**
 * Length of a packet that is too long for a batch, in bytes. A batched socket sends such a packet separately, with the
 * send function of Node.js.
 */
export const LONG = 2000;

/** Returns the bytes of a test packet with this text. */
export const packet = (text: string) => Buffer.from(text);

/** Returns an endpoint at which no process listens: a closed port at the loopback address of `family`. */
export const nobodyAt = (family: Family): DatagramEndpoint => endpointAt(LOOPBACK[family], CLOSED_PORT);

/** Resolves as soon as a list, for example of received packets, has at least `length` entries. */
export const filled = (what: string, list: readonly unknown[], length: number) =>
  until(
    what,
    () => list.length,
    found => found >= length,
  );

/**
 * Returns functions that open batched sockets and listening sockets. Closes the sockets after the tests of the file.
 */
export function batchedSockets() {
  const cleanups: (() => unknown)[] = [];
  after(async () => {
    for (const cleanup of cleanups) await cleanup();
  });

  /** Opens a batched socket with the arguments of `openBatched`. The socket is closed after the tests. */
  const batched = async (...of: Parameters<typeof openBatched>) => {
    const opened = await openBatched(...of);
    cleanups.push(() => opened.socket.close());
    return opened;
  };

  /** Opens a listening socket. Returns the socket, its address and the texts that it receives. */
  async function listener(family: Family) {
    const socket = await bindNodeSocket(family);
    cleanups.push(() => socket.close());
    const heard: string[] = [];
    socket.on('message', datagram => heard.push(datagram.toString()));
    return { socket, heard, endpoint: endpointAt(LOOPBACK[family], socket.address().port) };
  }

  return { batched, listener };
}
