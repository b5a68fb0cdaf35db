import type { AddressKey } from '../../net/address-key.ts';
import { FNV_OFFSET, fnv1aStep, fnv1aText } from '../../runtime/fnv1a.ts';
import type { Visit } from '../politeness/visit.ts';
import type { DatagramExchange } from '../protocols/protocol.ts';
import { type Answer, errorDetail } from './answer.ts';
import { Asking } from './asking.ts';
import { BatchedSocket } from './batched-socket.ts';
import { ConnectedSocket } from './connected-socket.ts';
import { CLOSED, Conversation, type Listening } from './conversation.ts';
import {
  type BindSocket,
  bindNodeSocket,
  type DatagramEndpoint,
  type DatagramEvents,
  type DatagramSocket,
  type Family,
  NodeDatagramSocket,
  type PacketSender,
} from './datagram-socket.ts';
import { openLinux } from './linux.ts';
import type { TimerWheel } from './timer-wheel.ts';

/** Sockets that are open for a conversation each, at most; beyond it the usual ones are asked from. */
const MOST_CONNECTED = 256;

export interface UdpPoolOptions {
  /** Sockets of each family. */
  sockets: number;
  /** What each socket asks the kernel to hold for it, bytes. */
  receiveBuffer: number;
  wheel: TimerWheel;
  /** Node's own sockets, though this system may have faster ones. */
  plain?: boolean;
  /** Told what an operator should know, such as a receive buffer the kernel refused. */
  warn: (message: string) => void;
  /** Binds each socket; without it they are the system's. */
  bind?: BindSocket;
}

/** Asks one port, waiting so many ms for each reply. */
export interface Asker {
  /** `answered` is called once, maybe at once. */
  ask(timeoutMs: number, answered: (answer: Answer) => void): void;
}

/**
 * A few unconnected sockets on which every server is asked. A server is always asked from the same socket, so
 * that `confirm` can be sure to ask from another.
 */
export class UdpPool {
  /** Datagrams and ICMP messages nobody waited for: late, doubled, or from strangers. */
  strayDatagrams = 0;
  /** Ports being asked. */
  inFlight = 0;
  readonly #options: UdpPoolOptions;
  readonly #v4: DatagramSocket[] = [];
  readonly #v6: DatagramSocket[] = [];
  readonly #asking = new Asking();
  readonly #listening: Listening;
  /** Whether the sockets hear of ICMP messages. */
  readonly #hearsRejects: boolean;
  #connected = 0;

  private constructor(options: UdpPoolOptions, hearsRejects: boolean) {
    this.#options = options;
    this.#hearsRejects = hearsRejects;
    this.#listening = {
      listen: conversation => this.#listen(conversation),
      forget: conversation => this.#forget(conversation),
    };
  }

  /** Rejects when not even an IPv4 socket can be had; a host without IPv6 only gets a warning. */
  static async open(options: UdpPoolOptions): Promise<UdpPool> {
    const { bind, hearsRejects } = options.bind
      ? { bind: options.bind, hearsRejects: true }
      : await systemSockets(options);
    const pool = new UdpPool(options, hearsRejects);
    try {
      for (let i = 0; i < options.sockets; i++) pool.#v4.push(await pool.#bind('udp4', bind));
    } catch (error) {
      await pool.close();
      throw error;
    }
    try {
      for (let i = 0; i < options.sockets; i++) pool.#v6.push(await pool.#bind('udp6', bind));
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
  converse(endpoint: DatagramEndpoint, exchange: DatagramExchange, visit: Visit, confirm: boolean): Asker {
    const { address, key, port } = endpoint;
    const family = typeof key === 'number' ? this.#v4 : this.#v6;
    const socket = family[(hash(key, port) + (confirm ? 1 : 0)) % family.length];
    if (!socket) {
      const detail = `no socket to reach ${address} from`;
      return { ask: (_, answered) => answered({ kind: 'fault', detail }) };
    }
    if (confirm && !this.#hearsRejects) return this.#confirmer(endpoint, exchange, visit, socket);
    return this.#conversation(endpoint, exchange, visit, socket);
  }

  #conversation(
    endpoint: DatagramEndpoint,
    exchange: DatagramExchange,
    visit: Visit,
    socket: PacketSender,
  ): Conversation {
    const { wheel } = this.#options;
    return new Conversation({ endpoint, exchange, visit, socket, wheel, listening: this.#listening });
  }

  /** Asks from a connected socket, which hears of rejects, if there are not too many; else from `usual`. */
  #confirmer(
    endpoint: DatagramEndpoint,
    exchange: DatagramExchange,
    visit: Visit,
    usual: PacketSender,
  ): Asker {
    const family: Family = typeof endpoint.key === 'number' ? 'udp4' : 'udp6';
    return {
      ask: (timeoutMs, answered) => {
        if (this.#connected >= MOST_CONNECTED) {
          this.#conversation(endpoint, exchange, visit, usual).ask(timeoutMs, answered);
          return;
        }
        this.#connected++;
        const socket: ConnectedSocket = new ConnectedSocket(
          family,
          endpoint,
          this.#eventsOf(() => socket),
        );
        this.#conversation(endpoint, exchange, visit, socket).ask(timeoutMs, answer => {
          this.#connected--;
          socket.close();
          answered(answer);
        });
      },
    };
  }

  /** Ends every conversation as a fault of ours. */
  async close(): Promise<void> {
    const all = [...this.#v4.splice(0), ...this.#v6.splice(0)];
    for (const conversation of this.#asking.all()) conversation.settle(CLOSED);
    await Promise.all(all.map(socket => socket.close()));
  }

  #listen(conversation: Conversation): boolean {
    if (this.#asking.find(conversation.endpoint.key, conversation.endpoint.port)) return false;
    this.#asking.add(conversation);
    this.inFlight++;
    return true;
  }

  #forget(conversation: Conversation): void {
    this.inFlight--;
    this.#asking.remove(conversation);
  }

  /** What a socket tells of an endpoint is for the conversation that asks it from this very socket. */
  #eventsOf(socket: () => PacketSender): DatagramEvents {
    const at = (key: AddressKey, port: number): Conversation | undefined => {
      const conversation = this.#asking.find(key, port);
      return conversation?.socket === socket() ? conversation : undefined;
    };
    return {
      received: (datagram, from, port) => {
        const conversation = at(from, port);
        if (conversation) conversation.receive(datagram);
        else this.strayDatagrams++;
      },
      rejected: ({ key, port }, error) => {
        if (!at(key, port)?.reject(error)) this.strayDatagrams++;
      },
      unsent: ({ key, port }, error) =>
        at(key, port)?.settle({ kind: 'fault', detail: `cannot send: ${errorDetail(error)}` }),
      warn: this.#options.warn,
    };
  }

  async #bind(family: Family, bind: BindSocket): Promise<DatagramSocket> {
    const { receiveBuffer } = this.#options;
    const socket: DatagramSocket = await bind({
      family,
      receiveBuffer,
      events: this.#eventsOf(() => socket),
    });
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

/** The system's sockets, and whether they hear what ICMP says. */
async function systemSockets({
  plain,
  warn,
}: UdpPoolOptions): Promise<{ bind: BindSocket; hearsRejects: boolean }> {
  const linux = plain
    ? undefined
    : await openLinux().catch(error => {
        warn(`datagrams go one by one, at twice the CPU, for want of the C library: ${error}`);
        return undefined;
      });
  if (linux) return { bind: options => BatchedSocket.bind(linux, options), hearsRejects: true };
  const bind: BindSocket = async options =>
    new NodeDatagramSocket(await bindNodeSocket(options.family), options);
  return { bind, hearsRejects: false };
}

/** FNV-1a, by what an address is made of. */
function hash(key: AddressKey, port: number): number {
  let value = FNV_OFFSET ^ port;
  if (typeof key === 'number')
    for (let bit = 0; bit < 32; bit += 8) value = fnv1aStep((key >>> bit) & 0xff, value);
  else value = fnv1aText(key, value);
  return value >>> 0;
}
