import type { Socket } from 'node:dgram';
import { getSystemErrorName } from 'node:util';
import { errorDetail } from '../answers/answer.ts';
import {
  bindNodeSocket,
  type DatagramEndpoint,
  type DatagramEvents,
  type DatagramSocket,
  type DatagramSocketOptions,
  NodeDatagramSocket,
} from './datagram-socket.ts';
import { isIcmpCode } from './icmp.ts';
import type { Linux } from './linux.ts';
import { MessageVector, type Rejection } from './message-vector.ts';

/** Most packets that one call sends. Packets are short; a longer one is sent by itself. */
const SEND = { messages: 64, bytes: 1024 };
const MOST_PORT = 0xffff;
/** Most calls in a row that read datagrams, before timers and other sockets get a chance. */
const MOST_CALLS = 16;
/** Most attempts to send one packet, if each attempt meets another ICMP message. */
const MOST_TRIES = 64;

/**
 * Sends all packets of one turn of the event loop by one system call, and receives many by another. Node
 * needs two calls, a request object and an array for each datagram, which is half the cost of a probe.
 *
 * ICMP messages arrive in the kernel's error queue. This has two consequences. Each message makes one call on
 * the socket fail, whichever call comes next, so that call is repeated. And libuv sees the socket as readable
 * until the queue is empty, so whoever meets such an error must empty the queue, or libuv spins.
 */
export class BatchedSocket implements DatagramSocket {
  readonly #linux: Linux;
  readonly #fd: number;
  readonly #events: DatagramEvents;
  /**
   * Node's socket: it signals readable data and reads the first datagram, and it sends packets that do not
   * fit in a batch.
   */
  readonly #single: NodeDatagramSocket;
  readonly #outgoing: MessageVector;
  /** Destinations of the outgoing packets; entries beyond `#written` are left from an earlier batch. */
  readonly #endpoints: DatagramEndpoint[] = [];
  #written = 0;
  #flushing: NodeJS.Immediate | undefined;
  #closed = false;

  private constructor(linux: Linux, fd: number, socket: Socket, options: DatagramSocketOptions) {
    const { events } = options;
    this.#linux = linux;
    this.#fd = fd;
    this.#events = events;
    const received: DatagramEvents['received'] = (datagram, from, port) => {
      events.received(datagram, from, port);
      this.#takeTheRest();
    };
    const single = { ...options, events: { ...events, received } };
    this.#single = new NodeDatagramSocket(socket, single, error => this.#failed(error));
    this.#outgoing = new MessageVector(linux.libc, SEND);
  }

  /** Rejects with the system's error if no socket can be opened. */
  static async bind(linux: Linux, options: DatagramSocketOptions): Promise<BatchedSocket> {
    const { family } = options;
    const fd = linux.boundSocket(family);
    return new BatchedSocket(linux, fd, await bindNodeSocket(family, fd), options);
  }

  get receiveBuffer(): number {
    return this.#single.receiveBuffer;
  }

  send(packet: Buffer, endpoint: DatagramEndpoint): void {
    if (this.#closed || packet.length > SEND.bytes || endpoint.port > MOST_PORT) {
      this.#sendSingly(packet, endpoint);
      return;
    }
    this.#outgoing.write(this.#written, packet, endpoint);
    this.#endpoints[this.#written++] = endpoint;
    if (this.#written === SEND.messages) this.#flush();
    else this.#flushing ??= setImmediate(() => this.#flush());
  }

  close(): Promise<void> {
    if (this.#flushing) clearImmediate(this.#flushing);
    this.#closed = true;
    return this.#single.close();
  }

  #flush(): void {
    if (this.#flushing) clearImmediate(this.#flushing);
    this.#flushing = undefined;
    const count = this.#written;
    this.#written = 0;
    const rejections: Rejection[] = [];
    const failures: [DatagramEndpoint, Error][] = [];
    let at = 0;
    let tries = 0;
    while (at < count) {
      const sent = this.#linux.send(this.#fd, this.#outgoing, at, count - at);
      if (sent > 0) {
        at += sent;
        tries = 0;
        // A batch ends early at an error, and the system does not say which.
        if (at < count) this.#takeErrors(rejections);
        continue;
      }
      const endpoint = this.#endpoints[at];
      const code = getSystemErrorName(sent);
      if (!endpoint) break;
      if (code === 'EINTR') continue;
      // Node sends it when the kernel has room again.
      if (code === 'EAGAIN') this.#sendSingly(this.#outgoing.written(at), endpoint);
      else if (this.#isAnothers(++tries, this.#takeErrors(rejections))) continue;
      else failures.push([endpoint, Object.assign(new Error(code), { code })]);
      at++;
      tries = 0;
    }
    // Listeners may send again, which overwrites the entries read here.
    this.#tell(rejections);
    for (const [endpoint, error] of failures) this.#events.unsent(endpoint, error);
  }

  /**
   * True if a failed send met the ICMP message of another packet and should be repeated. The first error may
   * come from one; a further error belongs to the packet itself if the error queue was empty (`taken` is 0).
   */
  #isAnothers(tries: number, taken: number): boolean {
    return tries === 1 || (taken > 0 && tries < MOST_TRIES);
  }

  #sendSingly(packet: Buffer, endpoint: DatagramEndpoint, tries = 1): void {
    this.#single.sendThen(packet, endpoint, error => {
      // libuv may have met the error of an ICMP message without reporting it.
      const rejections: Rejection[] = [];
      const taken = this.#takeErrors(rejections);
      if (error && !this.#closed && this.#isAnothers(tries, taken))
        this.#sendSingly(packet, endpoint, tries + 1);
      else if (error) this.#events.unsent(endpoint, error);
      this.#tell(rejections);
    });
  }

  /** Handles a read error of Node: an ICMP message has arrived, or the system is in trouble. */
  #failed(error: Error): void {
    const code = errorDetail(error);
    if (!isIcmpCode(code)) this.#events.warn(`UDP socket: ${code}`);
    const rejections: Rejection[] = [];
    this.#takeErrors(rejections);
    this.#tell(rejections);
    // During a flood of ICMP messages Node reads nothing else.
    this.#takeTheRest();
  }

  /** Empties the error queue. Returns the number of entries. */
  #takeErrors(rejections: Rejection[]): number {
    // The file descriptor of a closed socket may belong to another file by now.
    return this.#closed ? 0 : this.#linux.takeErrors(this.#fd, rejections);
  }

  #tell(rejections: readonly Rejection[]): void {
    for (const { endpoint, error } of rejections) {
      if (!this.#closed) this.#events.rejected(endpoint, error);
    }
  }

  #takeTheRest(): void {
    const { incoming } = this.#linux;
    const rejections: Rejection[] = [];
    for (let call = 0; call < MOST_CALLS && !this.#closed; call++) {
      const count = this.#linux.receive(this.#fd);
      for (let i = 0; i < count && !this.#closed; i++) {
        this.#events.received(incoming.received(i), incoming.from(i), incoming.port(i));
      }
      if (count < 0) this.#takeErrors(rejections);
      else if (count < incoming.messages) break;
    }
    this.#tell(rejections);
  }
}
