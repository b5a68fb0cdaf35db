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

/** Packets sent by one call at most. Ours are short; a longer one goes by itself. */
const SEND = { messages: 64, bytes: 1024 };
const MOST_PORT = 0xffff;
/** No more calls than this take what has come before timers and other sockets have their turn. */
const MOST_CALLS = 16;
/** A packet is tried no more often than this while each try meets another ICMP message. */
const MOST_TRIES = 64;

/**
 * A socket that sends what was said within a turn of the event loop by one call, and takes what has come by another.
 * Node's own takes two calls, a request object and an array for each datagram, half of what a probe costs.
 *
 * It hears of ICMP messages from the kernel's error queue. Two things follow. Each message also makes one call on the socket
 * fail, of whatever kind and to whomever: such a call is made again. And libuv sees the socket as readable until the queue is
 * empty, but tells nobody once a call has met the error: whoever meets one empties the queue, or libuv turns at full speed.
 */
export class BatchedSocket implements DatagramSocket {
  readonly #linux: Linux;
  readonly #fd: number;
  readonly #events: DatagramEvents;
  /** Tells when something has come, and takes the first of it; sends what does not fit in a batch. */
  readonly #single: NodeDatagramSocket;
  readonly #outgoing: MessageVector;
  /** Where they go: as many as are `#written`, then what is left of a batch before. */
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

  /** Rejects with the error of the system where no socket is to be had. */
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
        // A batch ends early at an error, of which nothing else is told.
        if (at < count) this.#takeErrors(rejections);
        continue;
      }
      const endpoint = this.#endpoints[at];
      const code = getSystemErrorName(sent);
      if (!endpoint) break;
      if (code === 'EINTR') continue;
      // Node waits until the kernel has room again.
      if (code === 'EAGAIN') this.#sendSingly(this.#outgoing.written(at), endpoint);
      else if (this.#isAnothers(++tries, this.#takeErrors(rejections))) continue;
      else failures.push([endpoint, Object.assign(new Error(code), { code })]);
      at++;
      tries = 0;
    }
    // Whoever is told may send again, into the places that were read here.
    this.#tell(rejections);
    for (const [endpoint, error] of failures) this.#events.unsent(endpoint, error);
  }

  /**
   * Whether the error of a packet's send is that of an ICMP message about another packet, and the send worth another try. The
   * first error may be; a further one is the packet's own if the error queue, of which `taken` were taken, was empty.
   */
  #isAnothers(tries: number, taken: number): boolean {
    return tries === 1 || (taken > 0 && tries < MOST_TRIES);
  }

  #sendSingly(packet: Buffer, endpoint: DatagramEndpoint, tries = 1): void {
    this.#single.sendThen(packet, endpoint, error => {
      // libuv may have met the error of an ICMP message without telling.
      const rejections: Rejection[] = [];
      const taken = this.#takeErrors(rejections);
      if (error && !this.#closed && this.#isAnothers(tries, taken))
        this.#sendSingly(packet, endpoint, tries + 1);
      else if (error) this.#events.unsent(endpoint, error);
      this.#tell(rejections);
    });
  }

  /** Node could not read: an ICMP message has come, or the system is in trouble. */
  #failed(error: Error): void {
    const code = errorDetail(error);
    if (!isIcmpCode(code)) this.#events.warn(`UDP socket: ${code}`);
    const rejections: Rejection[] = [];
    this.#takeErrors(rejections);
    this.#tell(rejections);
    // Where ICMP messages flood in, Node reads nothing else.
    this.#takeTheRest();
  }

  /** Empties the error queue. Returns how many entries it took. */
  #takeErrors(rejections: Rejection[]): number {
    // The number of a closed socket may be another one's.
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
