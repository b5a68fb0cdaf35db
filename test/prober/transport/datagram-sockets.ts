import { after } from 'node:test';
import type { AddressKey } from '../../../net/address-key.ts';
import { BatchedSocket } from '../../../prober/transport/batched-socket.ts';
import {
  bindNodeSocket,
  type DatagramEndpoint,
  type DatagramSocket,
  type Family,
  NodeDatagramSocket,
  type RejectedEndpoint,
} from '../../../prober/transport/datagram-socket.ts';
import { openLinux } from '../../../prober/transport/linux.ts';
import { addressText } from '../address-text.ts';
import { endpointAt } from '../endpoint-at.ts';

/** Loopback address of each address family. */
export const LOOPBACK = { udp4: '127.0.0.1', udp6: '::1' } as const;

/** System calls of Linux that batched sockets use. Undefined if the tests run on a different operating system. */
export const linux = await openLinux();
/**
 * Implementations of UDP sockets to test. The sockets of Node.js work on all systems. Batched sockets work only on
 * Linux.
 */
export const kinds = linux ? (['node', 'batched'] as const) : (['node'] as const);

/** A datagram that a UDP socket of a test received. */
export interface Received {
  datagram: Buffer;
  from: DatagramEndpoint;
}

/** A packet that a UDP socket could not send, or that an ICMP message rejected. `code`: code of the error. */
interface Told {
  endpoint: DatagramEndpoint;
  code: unknown;
}

const codeOf = (error: Error): unknown => ('code' in error ? error.code : undefined);

/**
 * Returns functions that open UDP sockets, and the list `open` with the opened sockets. After all tests of the file,
 * all sockets in this list are closed.
 */
export function datagramSockets() {
  const open: DatagramSocket[] = [];
  after(() => Promise.all(open.map(socket => socket.close())));

  /** Opens a UDP socket. Returns the socket and the lists of the events that it reports. */
  async function socketOf(kind: (typeof kinds)[number], family: Family, system = linux) {
    const received: Received[] = [];
    const unsent: Told[] = [];
    const rejected: Told[] = [];
    const warnings: string[] = [];
    const options = {
      family,
      receiveBuffer: 4 * 1024 * 1024,
      events: {
        received: (datagram: Buffer, from: AddressKey, port: number) =>
          received.push({ datagram, from: endpointAt(addressText(from), port) }),
        unsent: (endpoint: DatagramEndpoint, error: Error) => unsent.push({ endpoint, code: codeOf(error) }),
        rejected: ({ key, port }: RejectedEndpoint, error: Error) =>
          rejected.push({ endpoint: endpointAt(addressText(key), port), code: codeOf(error) }),
        warn: (message: string) => warnings.push(message),
      },
    };
    const socket =
      kind === 'batched' && system
        ? await BatchedSocket.bind(system, options)
        : new NodeDatagramSocket(await bindNodeSocket(family), options);
    open.push(socket);
    return { socket, received, unsent, rejected, warnings };
  }

  /** Opens two UDP sockets. Returns the sockets and their addresses. */
  async function pair(kind: (typeof kinds)[number], family: Family) {
    const [here, there] = [await socketOf(kind, family), await socketOf('node', family)];
    // Finds out the addresses of the sockets `here` and `there`. For this, each of these two sockets sends a packet to
    // a third socket, `probe`.
    const address = LOOPBACK[family];
    const probe = await bindNodeSocket(family);
    const { port } = probe.address();
    const hello = new Promise<DatagramEndpoint>(resolve =>
      probe.once('message', (_, from) => resolve(endpointAt(from.address, from.port))),
    );
    here.socket.send(Buffer.from('hello'), endpointAt(address, port));
    const hereAt = await hello;
    const helloBack = new Promise<DatagramEndpoint>(resolve =>
      probe.once('message', (_, from) => resolve(endpointAt(from.address, from.port))),
    );
    there.socket.send(Buffer.from('hello'), endpointAt(address, port));
    const thereAt = await helloBack;
    probe.close();
    return { here, there, hereAt, thereAt };
  }

  return { open, socketOf, pair };
}
