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
 * A socket connected to one endpoint, for one conversation. Without an error queue only a connected socket
 * learns of ICMP messages.
 */
export class ConnectedSocket implements PacketSender {
  readonly #socket: Socket;
  readonly #connected: Promise<void>;
  readonly #endpoint: DatagramEndpoint;
  readonly #events: DatagramEvents;

  /** Connects at once. If that fails, each packet sent is reported as unsent. */
  constructor(family: Family, endpoint: DatagramEndpoint, events: DatagramEvents) {
    const { address, port } = endpoint;
    this.#endpoint = endpoint;
    this.#events = events;
    this.#socket = nodeSocket(family);
    // Ignores strangers: between bind and connect the kernel accepts datagrams from anybody.
    this.#socket.on('message', (datagram, from) =>
      events.received(datagram, addressKey(from.address), from.port),
    );
    this.#socket.on('error', error => this.#failed(error));
    this.#connected = new Promise((resolve, reject) => {
      this.#socket.connect(port, address, (error?: Error) => (error ? reject(error) : resolve()));
    });
    // Marks the rejection as handled: perhaps no packet is ever sent.
    this.#connected.catch(() => {});
  }

  /** Sends a packet to the connected endpoint. */
  send(packet: Buffer): void {
    this.#connected
      .then(() => this.#socket.send(packet, error => error && this.#unsent(error)))
      .catch(error => this.#unsent(error));
  }

  /** Closes the socket; nothing is received afterwards. */
  close(): void {
    this.#socket.close();
  }

  #unsent(error: Error): void {
    // ECONNREFUSED belongs to an earlier packet; all other codes are problems of this machine.
    if (errorDetail(error) === 'ECONNREFUSED') this.#events.rejected(this.#endpoint, error);
    else this.#events.unsent(this.#endpoint, error);
  }

  #failed(error: Error): void {
    const code = errorDetail(error);
    if (isRejectCode(code)) this.#events.rejected(this.#endpoint, error);
    else if (!isIcmpCode(code)) this.#events.warn(`UDP socket: ${code}`);
  }
}
