import { createSocket, type Socket } from 'node:dgram';
import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { type Endpoint, errorDetail } from '../answers/answer.ts';

export type Family = 'udp4' | 'udp6';

/** The destination of a datagram. */
export interface DatagramEndpoint extends Endpoint {
  /** The key of its address. */
  key: AddressKey;
}

/** The destination of a rejected packet, as the kernel reports it. */
export type RejectedEndpoint = Pick<DatagramEndpoint, 'key' | 'port'>;

/** A socket as a conversation sees it. */
export interface PacketSender {
  /**
   * Sends a packet soon. A packet that cannot be sent is reported to `DatagramEvents.unsent`, at once or
   * later. Never throws.
   */
  send(packet: Buffer, endpoint: DatagramEndpoint): void;
}

/** A bound UDP socket that exchanges datagrams with many endpoints. */
export interface DatagramSocket extends PacketSender {
  /** Receive buffer that the kernel granted, bytes. */
  readonly receiveBuffer: number;
  /** Closes the socket; nothing is received afterwards. */
  close(): Promise<void>;
}

/** Events of a socket. */
export interface DatagramEvents {
  /** A datagram arrived. The receiver may keep its memory. */
  received(datagram: Buffer, from: AddressKey, port: number): void;
  unsent(endpoint: DatagramEndpoint, error: Error): void;
  /**
   * An ICMP message said that a packet of this socket did not reach the endpoint: port, host or network
   * unreachable. The error has a code (`ECONNREFUSED`, `EHOSTUNREACH`, `ENETUNREACH` ...). Anybody can forge
   * such a message, so it is only evidence.
   */
  rejected(endpoint: RejectedEndpoint, error: Error): void;
  warn(message: string): void;
}

export interface DatagramSocketOptions {
  family: Family;
  /** Receive buffer to ask the kernel for, bytes. */
  receiveBuffer: number;
  events: DatagramEvents;
}

/** Binds a socket. Rejects with the system's error if none can be opened. */
export type BindSocket = (options: DatagramSocketOptions) => Promise<DatagramSocket>;

/** Creates an unbound Node socket that never resolves names. */
export function nodeSocket(family: Family): Socket {
  return createSocket({
    type: family,
    ipv6Only: family === 'udp6',
    lookup: (address, _options, callback) => callback(null, address, family === 'udp6' ? 6 : 4),
  });
}

/** Binds a Node socket; with `fd`, wraps a socket that is bound already. */
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

/** A Node socket that sends each datagram by a call of its own. It works on every system. */
export class NodeDatagramSocket implements DatagramSocket {
  readonly #socket: Socket;
  readonly #events: DatagramEvents;

  /** `failed` receives read errors; without it they go to `events.warn`. */
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
      // Some kernels refuse a buffer above their limit, others reduce it silently. The size read back shows
      // what was granted.
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

  /** Sends a packet, and calls `sent` once it is sent or has failed, possibly before it returns. */
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
