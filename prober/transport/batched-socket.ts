import { getSystemErrorName } from 'node:util';
import {
  bindNodeSocket,
  type DatagramEndpoint,
  type DatagramEvents,
  type DatagramSocket,
  type DatagramSocketOptions,
  NodeDatagramSocket,
} from './datagram-socket.ts';
import { type Linux, MessageVector } from './linux.ts';

/** Packets sent by one call at most. Ours are short; a longer one goes by itself. */
const SEND = { messages: 64, bytes: 1024 };
const MOST_PORT = 0xffff;
/** No more calls than this take what has come before timers and other sockets have their turn. */
const MOST_CALLS = 16;

/**
 * A socket that sends what was said within a turn of the event loop by one call, and takes what has come by another.
 * Node's own takes two calls, a request object and an array for each datagram, half of what a probe costs.
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

  private constructor(linux: Linux, fd: number, single: NodeDatagramSocket, events: DatagramEvents) {
    this.#linux = linux;
    this.#fd = fd;
    this.#events = events;
    this.#single = single;
    this.#outgoing = new MessageVector(linux, SEND);
  }

  /** Rejects with the error of the system where no socket is to be had. */
  static async bind(linux: Linux, options: DatagramSocketOptions): Promise<BatchedSocket> {
    const { family, events } = options;
    const fd = linux.boundSocket(family);
    const socket = await bindNodeSocket(family, fd);
    const single = new NodeDatagramSocket(socket, {
      ...options,
      events: {
        ...events,
        received: (datagram, from, port) => {
          events.received(datagram, from, port);
          batched.#takeTheRest();
        },
      },
    });
    const batched = new BatchedSocket(linux, fd, single, events);
    return batched;
  }

  get receiveBuffer(): number {
    return this.#single.receiveBuffer;
  }

  send(packet: Buffer, endpoint: DatagramEndpoint): void {
    if (this.#closed || packet.length > SEND.bytes || endpoint.port > MOST_PORT) {
      this.#single.send(packet, endpoint);
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
    const failures: [DatagramEndpoint, Error][] = [];
    let at = 0;
    while (at < count) {
      const sent = this.#linux.send(this.#fd, this.#outgoing, at, count - at);
      if (sent > 0) {
        at += sent;
        continue;
      }
      const endpoint = this.#endpoints[at];
      const code = getSystemErrorName(sent);
      if (!endpoint) break;
      // Node waits until the kernel has room again.
      if (code === 'EAGAIN' || code === 'ENOBUFS') this.#single.send(this.#outgoing.written(at), endpoint);
      else if (code !== 'EINTR') failures.push([endpoint, Object.assign(new Error(code), { code })]);
      if (code !== 'EINTR') at++;
    }
    // Whoever is told may send again, into the places that were read here.
    for (const [endpoint, error] of failures) this.#events.unsent(endpoint, error);
  }

  #takeTheRest(): void {
    const { incoming } = this.#linux;
    for (let call = 0; call < MOST_CALLS; call++) {
      if (this.#closed) return;
      const count = this.#linux.receive(this.#fd);
      for (let i = 0; i < count && !this.#closed; i++) {
        this.#events.received(incoming.received(i), incoming.from(i), incoming.port(i));
      }
      if (count < incoming.messages) return;
    }
  }
}
