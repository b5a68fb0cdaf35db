import { createSocket, type Socket } from 'node:dgram';
import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { type Endpoint, errorDetail } from '../answers/answer.ts';

/** Address family of a UDP socket. */
export type Family = 'udp4' | 'udp6';

/** The destination of a datagram. */
export interface DatagramEndpoint extends Endpoint {
  /** Key of `address` for maps and comparisons; see `addressKey`. */
  key: AddressKey;
}

/**
 * Destination of a packet that an ICMP message rejected. It contains the address only as a map key (`addressKey`), not
 * as text.
 */
export type RejectedEndpoint = Pick<DatagramEndpoint, 'key' | 'port'>;

/**
 * The part of a UDP socket that sends packets. A query over UDP (a conversation) needs no other part, because `UdpPool`
 * receives the replies.
 */
export interface PacketSender {
  /**
   * Sends a packet, perhaps a little later together with other packets. If the packet cannot be sent,
   * `DatagramEvents.unsent` is called, either immediately or later. Never throws.
   */
  send(packet: Buffer, endpoint: DatagramEndpoint): void;
}

/** A bound UDP socket that exchanges datagrams with many endpoints. */
export interface DatagramSocket extends PacketSender {
  /** Size of the receive buffer that the kernel granted, bytes. */
  readonly receiveBuffer: number;
  /** Closes the socket. The socket receives no datagrams afterwards. */
  close(): Promise<void>;
}

/** Callbacks of a UDP socket: for received datagrams, failed sends, rejections by ICMP messages, and warnings. */
export interface DatagramEvents {
  /** Called for each received datagram. The function can keep the buffer, because the socket does not reuse it. */
  received(datagram: Buffer, from: AddressKey, port: number): void;
  /** Called if a packet could not be sent. */
  unsent(endpoint: DatagramEndpoint, error: Error): void;
  /**
   * Called if an ICMP message reports that a packet did not reach the endpoint. The error has a code such as
   * `ECONNREFUSED`. The message does not prove that the server is offline, because anybody can forge it.
   */
  rejected(endpoint: RejectedEndpoint, error: Error): void;
  warn(message: string): void;
}

export interface DatagramSocketOptions {
  family: Family;
  /** Size of the receive buffer to request from the kernel, bytes. */
  receiveBuffer: number;
  events: DatagramEvents;
}

/** Opens and binds a socket. Rejects with the error of the system if the socket cannot be opened. */
export type BindSocket = (options: DatagramSocketOptions) => Promise<DatagramSocket>;

/** Creates an unbound Node.js socket that never resolves host names. */
export function nodeSocket(family: Family): Socket {
  return createSocket({
    type: family,
    ipv6Only: family === 'udp6',
    lookup: (address, _options, callback) => callback(null, address, family === 'udp6' ? 6 : 4),
  });
}

/**
 * Binds a Node.js UDP socket. If `fd` is undefined, binds a new socket to a free port. Otherwise, uses the existing
 * socket with the file descriptor `fd`, which is already bound to a port.
 */
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

/** A UDP socket of Node.js. It makes a separate system call for each datagram. It works on every operating system. */
export class NodeDatagramSocket implements DatagramSocket {
  readonly #socket: Socket;
  readonly #events: DatagramEvents;

  /**
   * `failed` is called with the read errors of the socket. If `failed` is absent, the read errors are passed to
   * `events.warn`.
   */
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
      // Ignores a refused buffer size, because the getter `receiveBuffer` reports the size that the kernel granted.
      // Some kernels return no error, but silently reduce the size.
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

  /** Sends a packet. Calls `sent` once, when the packet was sent or has failed, possibly before this method returns. */
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
