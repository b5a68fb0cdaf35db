import { createSocket, type Socket } from 'node:dgram';
import { type AddressKey, addressKey } from '../../proto/address-key.ts';
import { type Endpoint, errorDetail } from './answer.ts';

export type Family = 'udp4' | 'udp6';

/** Where datagrams go. */
export interface DatagramEndpoint extends Endpoint {
  /** Of its address. */
  key: AddressKey;
}

/** A bound UDP socket that speaks to many. */
export interface DatagramSocket {
  /** What the kernel holds for it, bytes. */
  readonly receiveBuffer: number;
  /** Sends soon. What cannot be sent is told to `DatagramEvents.unsent`, at once or later. Never throws. */
  send(packet: Buffer, endpoint: DatagramEndpoint): void;
  /** Nothing is received after this. */
  close(): Promise<void>;
}

/** What a socket tells. */
export interface DatagramEvents {
  /** The datagram is the receiver's to keep. */
  received(datagram: Buffer, from: AddressKey, port: number): void;
  unsent(endpoint: DatagramEndpoint, error: Error): void;
  /** ICMP answered a packet to this endpoint: port, host or network unreachable. */
  rejected(endpoint: DatagramEndpoint, error: Error): void;
  warn(message: string): void;
}

export interface DatagramSocketOptions {
  family: Family;
  /** What to ask the kernel to hold for it, bytes. */
  receiveBuffer: number;
  events: DatagramEvents;
}

/** Binds a socket. Rejects with the error of the system where none is to be had. */
export type BindSocket = (options: DatagramSocketOptions) => Promise<DatagramSocket>;

/** Binds a socket, one of the system's where `fd` is given, that was bound already. */
export async function bindNodeSocket(family: Family, fd?: number): Promise<Socket> {
  const socket = createSocket({
    type: family,
    ipv6Only: family === 'udp6',
    // Endpoints are literals: answering at once spares each send a trip through the resolver.
    lookup: (address, _options, callback) => callback(null, address, family === 'udp6' ? 6 : 4),
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(fd === undefined ? { port: 0 } : { fd, exclusive: true }, () => {
      socket.off('error', reject);
      resolve();
    });
  }).catch(error => {
    socket.close();
    throw error;
  });
  return socket;
}

/** A datagram, a call: what every system can do. */
export class NodeDatagramSocket implements DatagramSocket {
  readonly #socket: Socket;
  readonly #events: DatagramEvents;

  constructor(socket: Socket, { receiveBuffer, events }: DatagramSocketOptions) {
    this.#socket = socket;
    this.#events = events;
    socket.on('error', error => events.warn(`UDP socket: ${errorDetail(error)}`));
    socket.on('message', (datagram, from) => events.received(datagram, addressKey(from.address), from.port));
    try {
      socket.setRecvBufferSize(receiveBuffer);
    } catch {
      // Not every kernel caps in silence; who reads the size tells what was had.
    }
  }

  get receiveBuffer(): number {
    return this.#socket.getRecvBufferSize();
  }

  send(packet: Buffer, endpoint: DatagramEndpoint): void {
    const { address, port } = endpoint;
    try {
      this.#socket.send(packet, port, address, error => {
        if (error) this.#events.unsent(endpoint, error);
      });
    } catch (error) {
      this.#events.unsent(endpoint, error instanceof Error ? error : new Error(String(error)));
    }
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#socket.close(() => resolve()));
  }
}
