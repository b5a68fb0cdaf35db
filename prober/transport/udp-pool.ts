import type { AddressKey } from '../../net/address-key.ts';
import { FNV_OFFSET, fnv1aStep, fnv1aText } from '../../runtime/fnv1a.ts';
import { type Answer, errorDetail } from '../answers/answer.ts';
import type { AdmittedProbe } from '../politeness/admitted-probe.ts';
import type { DatagramExchange } from '../protocols/protocol.ts';
import type { TimerWheel } from '../timing/timer-wheel.ts';
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
import { type Linux, openLinux } from './linux.ts';
import { PendingQueries } from './pending-queries.ts';

/**
 * Maximum number of connected sockets, each used by one query. If all of them are in use, further queries use the
 * unconnected sockets, which all queries share.
 */
const MOST_CONNECTED = 256;

export interface UdpPoolOptions {
  /** Number of sockets that the pool opens for each address family (IPv4 and IPv6). */
  sockets: number;
  /** Size of the receive buffer to request from the kernel for each socket, bytes. */
  receiveBuffer: number;
  wheel: TimerWheel;
  /**
   * Loads the functions of the operating system for UDP sockets. The default is `openLinux`. If this function resolves
   * to undefined, the pool uses sockets of Node.js.
   */
  openSystem?: () => Promise<Linux | undefined>;
  /** Called with each warning for the operator, for example that the receive buffer is smaller than requested. */
  warn: (message: string) => void;
  /** Opens each UDP socket of the pool. If this function is absent, the pool opens sockets of the operating system. */
  bind?: BindSocket;
}

/** A query to one port of a server. It can be sent again if the server did not answer. */
export interface Asker {
  /**
   * Sends the query. Over UDP, `timeoutMs` limits the wait for each reply. Over TCP, `timeoutMs` limits the whole
   * query. Calls `answered` exactly once, possibly before this method returns.
   */
  ask(timeoutMs: number, answered: (answer: Answer) => void): void;
}

/**
 * A pool of a few unconnected UDP sockets, which all queries share. A hash of the server's address and port selects the
 * socket. If a server does not answer, the query is repeated (`confirm`) from a different socket.
 */
export class UdpPool {
  /**
   * Number of received datagrams and ICMP messages that belong to no open query, because they are late, duplicate or
   * from an unknown sender.
   */
  strayDatagrams = 0;
  /** Number of open queries. No two open queries are to the same port of the same server. */
  inFlight = 0;
  readonly #options: UdpPoolOptions;
  readonly #v4: DatagramSocket[] = [];
  readonly #v6: DatagramSocket[] = [];
  readonly #pending = new PendingQueries();
  readonly #listening: Listening;
  /** True if the shared sockets receive ICMP messages about their packets. */
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

  /**
   * Opens the sockets of the pool. Rejects if an IPv4 socket cannot be opened. Only warns if an IPv6 socket cannot be
   * opened.
   */
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
      options.warn(`IPv6 servers cannot be probed: ${error instanceof Error ? errorDetail(error) : error}`);
    }
    pool.#checkReceiveBuffer();
    return pool;
  }

  /** Size of the smallest receive buffer that the kernel granted to a socket, bytes. */
  get receiveBuffer(): number {
    const sockets = [...this.#v4, ...this.#v6];
    return sockets.length === 0 ? 0 : Math.min(...sockets.map(socket => socket.receiveBuffer));
  }

  /**
   * Prepares a query over UDP to an endpoint (IP address and port). The caller starts it with `ask`. The address must
   * be in the notation of the kernel, because addresses are compared as text.
   */
  converse(
    endpoint: DatagramEndpoint,
    exchange: DatagramExchange,
    admitted: AdmittedProbe,
    confirm: boolean,
  ): Asker {
    const { address, key, port } = endpoint;
    const family = typeof key === 'number' ? this.#v4 : this.#v6;
    const socket = family[(hash(key, port) + (confirm ? 1 : 0)) % family.length];
    if (!socket) {
      const detail = `no socket to reach ${address} from`;
      return { ask: (_, answered) => answered({ kind: 'fault', detail }) };
    }
    if (confirm && !this.#hearsRejects) return this.#confirmer(endpoint, exchange, admitted, socket);
    return this.#conversation(endpoint, exchange, admitted, socket);
  }

  #conversation(
    endpoint: DatagramEndpoint,
    exchange: DatagramExchange,
    admitted: AdmittedProbe,
    socket: PacketSender,
  ): Conversation {
    const { wheel } = this.#options;
    return new Conversation({ endpoint, exchange, admitted, socket, wheel, listening: this.#listening });
  }

  /**
   * Creates a query that uses its own connected socket, because such a socket receives ICMP messages. If too many
   * connected sockets are open, the query uses the shared socket `usual` instead.
   */
  #confirmer(
    endpoint: DatagramEndpoint,
    exchange: DatagramExchange,
    admitted: AdmittedProbe,
    usual: PacketSender,
  ): Asker {
    const family: Family = typeof endpoint.key === 'number' ? 'udp4' : 'udp6';
    return {
      ask: (timeoutMs, answered) => {
        if (this.#connected >= MOST_CONNECTED) {
          this.#conversation(endpoint, exchange, admitted, usual).ask(timeoutMs, answered);
          return;
        }
        this.#connected++;
        const socket: ConnectedSocket = new ConnectedSocket(
          family,
          endpoint,
          this.#eventsOf(() => socket),
        );
        this.#conversation(endpoint, exchange, admitted, socket).ask(timeoutMs, answer => {
          this.#connected--;
          socket.close();
          answered(answer);
        });
      },
    };
  }

  /** Closes all sockets. Every open query ends with a local fault, which does not count against the server. */
  async close(): Promise<void> {
    const all = [...this.#v4.splice(0), ...this.#v6.splice(0)];
    for (const conversation of this.#pending.all()) conversation.settle(CLOSED);
    await Promise.all(all.map(socket => socket.close()));
  }

  #listen(conversation: Conversation): boolean {
    if (this.#pending.find(conversation.endpoint.key, conversation.endpoint.port)) return false;
    this.#pending.addQuery(conversation);
    this.inFlight++;
    return true;
  }

  #forget(conversation: Conversation): void {
    this.inFlight--;
    this.#pending.remove(conversation);
  }

  /**
   * Returns the callbacks of a socket. They look up the open query for a packet or error by the server's address and
   * port, and pass the packet or error to this query. If the socket has no such query, the packet is only counted in
   * `strayDatagrams`.
   */
  #eventsOf(socket: () => PacketSender): DatagramEvents {
    const at = (key: AddressKey, port: number): Conversation | undefined => {
      const conversation = this.#pending.find(key, port);
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
    // Linux doubles the requested size of a receive buffer to have space for its own data, and reports the doubled
    // size. Therefore only half of the reported size is compared with the requested size.
    const granted = this.receiveBuffer / (process.platform === 'linux' ? 2 : 1);
    const asked = this.#options.receiveBuffer;
    if (granted >= asked) return;
    this.#options.warn(
      `the kernel grants UDP receive buffers of ${granted} bytes instead of ${asked}: ` +
        'replies may be lost under load; raise net.core.rmem_max',
    );
  }
}

/** Chooses the kind of sockets for this system. Also returns whether these sockets receive ICMP messages. */
async function systemSockets({
  openSystem = openLinux,
  warn,
}: UdpPoolOptions): Promise<{ bind: BindSocket; hearsRejects: boolean }> {
  const linux = await openSystem().catch(error => {
    warn(
      `the C library is not usable, so each datagram needs its own system call and twice the CPU time: ${error}`,
    );
    return undefined;
  });
  if (linux) {
    return { bind: options => BatchedSocket.bind(linux, options), hearsRejects: linux.errorQueues };
  }
  const bind: BindSocket = async options =>
    new NodeDatagramSocket(await bindNodeSocket(options.family), options);
  return { bind, hearsRejects: false };
}

/** Returns an FNV-1a hash of an IP address and a port. `key`: the address as a map key (`addressKey`). */
function hash(key: AddressKey, port: number): number {
  let value = FNV_OFFSET ^ port;
  if (typeof key === 'number')
    for (let bit = 0; bit < 32; bit += 8) value = fnv1aStep((key >>> bit) & 0xff, value);
  else value = fnv1aText(key, value);
  return value >>> 0;
}
