import { createSocket, type Socket } from 'node:dgram';
import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { type Endpoint, errorDetail } from '../answers/answer.ts';

export type Family = 'udp4' | 'udp6';

/** Where datagrams go. */
export interface DatagramEndpoint extends Endpoint {
  /** Of its address. */
  key: AddressKey;
}

/** Where a rejected packet was going, as the kernel tells it. */
export type RejectedEndpoint = Pick<DatagramEndpoint, 'key' | 'port'>;

/** What a conversation needs of a socket. */
export interface PacketSender {
  /** Sends soon. What cannot be sent is told to `DatagramEvents.unsent`, at once or later. Never throws. */
  send(packet: Buffer, endpoint: DatagramEndpoint): void;
}

/** A bound UDP socket that speaks to many. */
export interface DatagramSocket extends PacketSender {
  /** What the kernel holds for it, bytes. */
  readonly receiveBuffer: number;
  /** Nothing is received after this. */
  close(): Promise<void>;
}

/** What a socket tells. */
export interface DatagramEvents {
  /** The datagram is the receiver's to keep. */
  received(datagram: Buffer, from: AddressKey, port: number): void;
  unsent(endpoint: DatagramEndpoint, error: Error): void;
  /**
   * An ICMP message said that a packet of this socket did not reach the endpoint: port, host or network unreachable. The
   * error has a code (`ECONNREFUSED`, `EHOSTUNREACH`, `ENETUNREACH` ...). Anybody can send such a message, so it is evidence only.
   */
  rejected(endpoint: RejectedEndpoint, error: Error): void;
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

/** A socket of Node's that is not bound yet. Endpoints are literals: it asks no resolver. */
export function nodeSocket(family: Family): Socket {
  return createSocket({
    type: family,
    ipv6Only: family === 'udp6',
    lookup: (address, _options, callback) => callback(null, address, family === 'udp6' ? 6 : 4),
  });
}

/** Binds a socket, one of the system's where `fd` is given, that was bound already. */
export async function bindNodeSocket(family: Family, fd?: number): Promise<Socket> {
  const socket = nodeSocket(family);
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

  /** `failed` hears what the socket's reading fails with, instead of `events.warn`. */
  constructor(
    socket: Socket,
    { receiveBuffer, events }: DatagramSocketOptions,
    failed = (error: Error) => events.warn(`UDP socket: ${errorDetail(error)}`),
  ) {
    this.#socket = socket;
    this.#events = events;
    socket.on('error', failed);
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
    this.sendThen(packet, endpoint, error => {
      if (error) this.#events.unsent(endpoint, error);
    });
  }

  /** Sends, and calls `sent` once it is done or has failed, maybe at once. */
  sendThen(packet: Buffer, { address, port }: DatagramEndpoint, sent: (error?: Error) => void): void {
    try {
      this.#socket.send(packet, port, address, error => sent(error ?? undefined));
    } catch (error) {
      sent(error instanceof Error ? error : new Error(String(error)));
    }
  }

  close(): Promise<void> {
    return new Promise(resolve => this.#socket.close(() => resolve()));
  }
}
