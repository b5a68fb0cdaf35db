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

/**
 * Limits for a batch of packets that one system call sends. `messages`: maximum number of packets. `bytes`: maximum
 * length of a packet. A longer packet, which is rare, gets a system call of its own.
 */
const SEND = { messages: 64, bytes: 1024 };
const MOST_PORT = 0xffff;
/**
 * Maximum number of consecutive system calls that read datagrams. After them, timers and other sockets get time to run.
 */
const MOST_CALLS = 16;
/**
 * Maximum number of attempts to send one packet. An ICMP message about another packet can make an attempt fail, so
 * failed attempts are repeated.
 */
const MOST_TRIES = 64;

/**
 * A UDP socket that sends and receives up to 64 packets with one system call. A socket of Node.js needs two calls and
 * two objects for each packet, which take half of the CPU time of a probe.
 */
export class BatchedSocket implements DatagramSocket {
  readonly #linux: Linux;
  readonly #fd: number;
  readonly #events: DatagramEvents;
  /**
   * A Node.js socket on the file descriptor `#fd`. It signals that datagrams can be read, and reads the first of them.
   * It also sends packets that do not fit into a batch.
   */
  readonly #single: NodeDatagramSocket;
  readonly #outgoing: MessageVector;
  /** Destinations of the packets that wait to be sent. Only the first `#written` elements are valid. */
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

  /** Opens and binds a socket. Rejects with the error of the operating system if the socket cannot be opened. */
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
        // If `sendmmsg` sends only some of the packets, it does not report why. An ICMP message can be the cause, so
        // the error queue of the socket is read.
        if (at < count) this.#takeErrors(rejections);
        continue;
      }
      const endpoint = this.#endpoints[at];
      const code = getSystemErrorName(sent);
      if (!endpoint) break;
      if (code === 'EINTR') continue;
      // If the send buffer of the kernel is full, Node.js sends the packet when the buffer has room again.
      if (code === 'EAGAIN') this.#sendSingly(this.#outgoing.written(at), endpoint);
      else if (this.#isAnothers(++tries, this.#takeErrors(rejections))) continue;
      else failures.push([endpoint, Object.assign(new Error(code), { code })]);
      at++;
      tries = 0;
    }
    // Reports errors to listeners only after the whole batch is sent. A listener can send a new packet, which would
    // overwrite an unsent packet of the batch.
    this.#tell(rejections);
    for (const [endpoint, error] of failures) this.#events.unsent(endpoint, error);
  }

  /**
   * Returns true if a packet must be sent again after a failed attempt. The attempt can fail because of an ICMP message
   * about an earlier packet, and the next attempt can then succeed. `tries`: number of attempts so far. `taken`: number
   * of errors that were read from the error queue of the socket after the attempt.
   */
  #isAnothers(tries: number, taken: number): boolean {
    return tries === 1 || (taken > 0 && tries < MOST_TRIES);
  }

  #sendSingly(packet: Buffer, endpoint: DatagramEndpoint, tries = 1): void {
    this.#single.sendThen(packet, endpoint, error => {
      // Empties the error queue of the socket even after a successful send. The queue can contain ICMP messages that
      // libuv did not report as an error.
      const rejections: Rejection[] = [];
      const taken = this.#takeErrors(rejections);
      if (error && !this.#closed && this.#isAnothers(tries, taken))
        this.#sendSingly(packet, endpoint, tries + 1);
      else if (error) this.#events.unsent(endpoint, error);
      this.#tell(rejections);
    });
  }

  /** Handles a read error of the Node.js socket. The cause is either an ICMP message or a problem of this machine. */
  #failed(error: Error): void {
    const code = errorDetail(error);
    if (!isIcmpCode(code)) this.#events.warn(`UDP socket: ${code}`);
    const rejections: Rejection[] = [];
    // Empties the error queue of the socket. If errors stayed in the queue, libuv would try to read from the socket in
    // an endless loop.
    this.#takeErrors(rejections);
    this.#tell(rejections);
    // Reads the waiting datagrams now. Node.js stops reading at each ICMP error, so a flood of ICMP errors could
    // otherwise keep gsq from reading datagrams.
    this.#takeTheRest();
  }

  /**
   * Reads all errors from the error queue of the socket. Adds the packets that ICMP messages rejected to `rejections`.
   * Returns the number of errors.
   */
  #takeErrors(rejections: Rejection[]): number {
    // Reads no errors if the socket is closed, because its file descriptor can already belong to another file.
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
