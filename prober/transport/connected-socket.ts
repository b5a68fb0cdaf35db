import type { Socket } from 'node:dgram';
import { addressKey } from '../../net/address-key.ts';
import { errorDetail } from '../answers/answer.ts';
import {
  type DatagramEndpoint,
  type DatagramEvents,
  type Family,
  nodeSocket,
  type PacketSender,
} from './datagram-socket.ts';
import { isIcmpCode, isRejectCode } from './icmp.ts';

/**
 * A UDP socket that is connected to one endpoint and serves one conversation (query over UDP). gsq uses such sockets if
 * it cannot read error queues, because the kernel then reports ICMP messages only to connected sockets.
 */
export class ConnectedSocket implements PacketSender {
  readonly #socket: Socket;
  readonly #connected: Promise<void>;
  readonly #endpoint: DatagramEndpoint;
  readonly #events: DatagramEvents;

  /**
   * Begins to connect the socket to its endpoint. If the connect fails, the socket reports each packet to `events` as
   * unsent.
   */
  constructor(family: Family, endpoint: DatagramEndpoint, events: DatagramEvents) {
    const { address, port } = endpoint;
    this.#endpoint = endpoint;
    this.#events = events;
    this.#socket = nodeSocket(family);
    // The socket can receive datagrams of other senders until `connect` has finished. The UDP pool gets the sender of
    // each datagram, so it can drop these datagrams.
    this.#socket.on('message', (datagram, from) =>
      events.received(datagram, addressKey(from.address), from.port),
    );
    this.#socket.on('error', error => this.#failed(error));
    this.#connected = new Promise((resolve, reject) => {
      this.#socket.connect(port, address, (error?: Error) => (error ? reject(error) : resolve()));
    });
    // Prevents an unhandled rejection if the connect fails and `send` is never called.
    this.#connected.catch(() => {});
  }

  /** Sends a packet to the connected endpoint. */
  send(packet: Buffer): void {
    this.#connected
      .then(() => this.#socket.send(packet, error => error && this.#unsent(error)))
      .catch(error => this.#unsent(error));
  }

  /** Closes the socket. The socket receives no datagrams afterwards. */
  close(): void {
    this.#socket.close();
  }

  #unsent(error: Error): void {
    // ECONNREFUSED means that an ICMP message rejected an earlier packet. All other codes are local errors of this
    // machine.
    if (errorDetail(error) === 'ECONNREFUSED') this.#events.rejected(this.#endpoint, error);
    else this.#events.unsent(this.#endpoint, error);
  }

  #failed(error: Error): void {
    const code = errorDetail(error);
    if (isRejectCode(code)) this.#events.rejected(this.#endpoint, error);
    else if (!isIcmpCode(code)) this.#events.warn(`UDP socket: ${code}`);
  }
}
