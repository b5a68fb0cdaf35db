import type { Visit } from '../politeness/visit.ts';
import type { DatagramExchange } from '../protocols/protocol.ts';
import { type Answer, type Endpoint, errorDetail } from './answer.ts';
import { BatchedSocket } from './batched-socket.ts';
import { CLOSED, Conversation, type Listening, sendFailure } from './conversation.ts';
import {
  bindNodeSocket,
  type DatagramSocket,
  type DatagramSocketOptions,
  type Family,
  NodeDatagramSocket,
} from './datagram-socket.ts';
import { type Linux, openLinux } from './linux.ts';
import type { TimerWheel } from './timer-wheel.ts';

export interface UdpPoolOptions {
  /** Sockets of each family. */
  sockets: number;
  /** What each socket asks the kernel to hold for it, bytes. */
  receiveBuffer: number;
  wheel: TimerWheel;
  /** Told what an operator should know, such as a receive buffer the kernel refused. */
  warn: (message: string) => void;
}

/** Asks one port, or asks it once more after silence, waiting so many ms for each reply. Never rejects. */
export interface Asker {
  ask(timeoutMs: number): Promise<Answer>;
}

/**
 * A few unconnected sockets on which every server is asked. A server is always asked from the same socket, so
 * that `confirm` can be sure to ask from another.
 */
export class UdpPool {
  /** Datagrams nobody waited for: late, doubled, or from strangers. */
  strayDatagrams = 0;
  /** Ports being asked. */
  inFlight = 0;
  readonly #options: UdpPoolOptions;
  readonly #v4: DatagramSocket[] = [];
  readonly #v6: DatagramSocket[] = [];
  /** By address; those at one address are linked by `next`, for they are few. */
  readonly #asking = new Map<string, Conversation>();
  readonly #listening: Listening;

  private constructor(options: UdpPoolOptions) {
    this.#options = options;
    this.#listening = {
      listen: conversation => this.#listen(conversation),
      forget: conversation => this.#forget(conversation),
    };
  }

  /** Rejects when not even an IPv4 socket can be had; a host without IPv6 only gets a warning. */
  static async open(options: UdpPoolOptions): Promise<UdpPool> {
    const pool = new UdpPool(options);
    const linux = await openLinux().catch(error => {
      options.warn(`datagrams go one by one, at twice the CPU, for want of the C library: ${error}`);
      return undefined;
    });
    try {
      for (let i = 0; i < options.sockets; i++) pool.#v4.push(await pool.#bind('udp4', linux));
    } catch (error) {
      await pool.close();
      throw error;
    }
    try {
      for (let i = 0; i < options.sockets; i++) pool.#v6.push(await pool.#bind('udp6', linux));
    } catch (error) {
      options.warn(`no IPv6: ${error instanceof Error ? errorDetail(error) : error}`);
    }
    pool.#checkReceiveBuffer();
    return pool;
  }

  /** What the kernel holds for the socket it grants least, bytes. */
  get receiveBuffer(): number {
    const sockets = [...this.#v4, ...this.#v6];
    return sockets.length === 0 ? 0 : Math.min(...sockets.map(socket => socket.receiveBuffer));
  }

  /** A conversation with an endpoint, its address as the kernel writes it. */
  converse(endpoint: Endpoint, exchange: DatagramExchange, visit: Visit, confirm: boolean): Asker {
    const { address, port } = endpoint;
    const family = address.includes(':') ? this.#v6 : this.#v4;
    const socket = family[(hash(address, port) + (confirm ? 1 : 0)) % family.length];
    if (!socket) {
      const detail = `no socket to reach ${address} from`;
      return { ask: () => Promise.resolve({ kind: 'fault', detail }) };
    }
    const { wheel } = this.#options;
    return new Conversation({ endpoint, exchange, visit, socket, wheel, listening: this.#listening });
  }

  /** Ends every conversation as a fault of ours. */
  async close(): Promise<void> {
    const all = [...this.#v4.splice(0), ...this.#v6.splice(0)];
    for (const first of [...this.#asking.values()]) {
      for (let other: Conversation | undefined = first; other; ) {
        const { next }: Conversation = other;
        other.settle(CLOSED);
        other = next;
      }
    }
    await Promise.all(all.map(socket => socket.close()));
  }

  #listen(conversation: Conversation): boolean {
    const { address, port } = conversation.endpoint;
    const first = this.#asking.get(address);
    if (withPort(first, port)) return false;
    conversation.next = first;
    this.#asking.set(address, conversation);
    this.inFlight++;
    return true;
  }

  #forget(conversation: Conversation): void {
    const { address } = conversation.endpoint;
    this.inFlight--;
    let before = this.#asking.get(address);
    if (before === conversation) {
      if (conversation.next) this.#asking.set(address, conversation.next);
      else this.#asking.delete(address);
    } else {
      while (before && before.next !== conversation) before = before.next;
      if (before) before.next = conversation.next;
    }
    conversation.next = undefined;
  }

  #find(address: string, port: number): Conversation | undefined {
    return withPort(this.#asking.get(address), port);
  }

  #receive(socket: DatagramSocket, datagram: Buffer, address: string, port: number): void {
    const conversation = this.#find(address, port);
    if (conversation?.socket === socket) conversation.receive(datagram);
    else this.strayDatagrams++;
  }

  async #bind(family: Family, linux: Linux | undefined): Promise<DatagramSocket> {
    const options: DatagramSocketOptions = {
      family,
      receiveBuffer: this.#options.receiveBuffer,
      events: {
        received: (datagram, address, port) => this.#receive(socket, datagram, address, port),
        unsent: ({ address, port }, error) => this.#find(address, port)?.settle(sendFailure(error)),
        warn: this.#options.warn,
      },
    };
    const socket: DatagramSocket = linux
      ? await BatchedSocket.bind(linux, options)
      : new NodeDatagramSocket(await bindNodeSocket(family), options);
    return socket;
  }

  #checkReceiveBuffer(): void {
    // Linux grants twice what is asked, for its own bookkeeping.
    const granted = this.receiveBuffer / (process.platform === 'linux' ? 2 : 1);
    const asked = this.#options.receiveBuffer;
    if (granted >= asked) return;
    this.#options.warn(
      `the kernel grants UDP receive buffers of ${granted} bytes instead of ${asked}: ` +
        'replies may be lost under load; raise net.core.rmem_max',
    );
  }
}

/** Of those linked to the first. */
function withPort(first: Conversation | undefined, port: number): Conversation | undefined {
  let conversation = first;
  while (conversation && conversation.endpoint.port !== port) conversation = conversation.next;
  return conversation;
}

/** FNV-1a. */
function hash(address: string, port: number): number {
  let value = 0x811c9dc5 ^ port;
  for (let i = 0; i < address.length; i++) value = Math.imul(value ^ address.charCodeAt(i), 0x01000193);
  return value >>> 0;
}
