import { createSocket, type Socket } from 'node:dgram';
import { isIPv6, SocketAddress } from 'node:net';
import type { DatagramExchange, Step } from '../protocols/protocol.ts';
import { type Answer, type Endpoint, errorDetail } from './answer.ts';
import type { TimerWheel, WheelTimer } from './timer-wheel.ts';

export interface UdpPoolOptions {
  /** Sockets of each family. */
  sockets: number;
  /** What each socket asks the kernel to hold for it, bytes. */
  receiveBuffer: number;
  wheel: TimerWheel;
  /** Told what an operator should know, such as a receive buffer the kernel refused. */
  warn: (message: string) => void;
}

interface Conversation {
  endpoint: Endpoint;
  exchange: DatagramExchange;
  timer: WheelTimer;
  sentAt: number;
  ping: number | undefined;
  /** Resolves when it is settled. */
  over: Promise<Answer>;
  settle: (answer: Answer) => void;
}

interface PooledSocket {
  socket: Socket;
  /** Who is being asked here, by address and port; what comes from anybody else is dropped. */
  conversations: Map<string, Conversation>;
}

/**
 * A few unconnected sockets on which every server is asked. A server is always asked from the same socket, so
 * that `confirm` can be sure to ask from another.
 */
export class UdpPool {
  /** Datagrams nobody waited for: late, doubled, or from strangers. */
  strayDatagrams = 0;
  readonly #options: UdpPoolOptions;
  readonly #v4: PooledSocket[] = [];
  readonly #v6: PooledSocket[] = [];

  private constructor(options: UdpPoolOptions) {
    this.#options = options;
  }

  /** Rejects when not even an IPv4 socket can be had; a host without IPv6 only gets a warning. */
  static async open(options: UdpPoolOptions): Promise<UdpPool> {
    const pool = new UdpPool(options);
    try {
      for (let i = 0; i < options.sockets; i++) pool.#v4.push(await pool.#bind('udp4'));
    } catch (error) {
      await pool.close();
      throw error;
    }
    try {
      for (let i = 0; i < options.sockets; i++) pool.#v6.push(await pool.#bind('udp6'));
    } catch (error) {
      options.warn(`no IPv6: ${error instanceof Error ? errorDetail(error) : error}`);
    }
    pool.#checkReceiveBuffer();
    return pool;
  }

  /**
   * Sends the exchange's request and follows where the replies lead, for at most `timeoutMs`. Waits, no longer
   * than that, while somebody else talks with the same endpoint: one server may be tracked under two names or
   * games, and a reply does not tell which of them it is for. Never rejects.
   */
  async ask(
    endpoint: Endpoint,
    exchange: DatagramExchange,
    timeoutMs: number,
    confirm: boolean,
  ): Promise<Answer> {
    const family = isIPv6(endpoint.address) ? this.#v6 : this.#v4;
    const key = keyOf(endpoint);
    const pooled = family[(hash(key) + (confirm ? 1 : 0)) % family.length];
    if (!pooled) return { kind: 'fault', detail: `no socket to reach ${endpoint.address} from` };
    const waitsUntil = this.#options.wheel.now() + timeoutMs;
    for (;;) {
      const other = pooled.conversations.get(key);
      if (!other) break;
      if (this.#options.wheel.now() >= waitsUntil)
        return { kind: 'fault', detail: 'always being asked by others' };
      await other.over;
    }
    const packets = exchange.request();
    if (packets.length === 0) return { kind: 'silent', detail: 'no reply' };
    const { promise, resolve } = deferred<Answer>();
    const conversation: Conversation = {
      endpoint,
      exchange,
      timer: this.#options.wheel.after(timeoutMs, () => conversation.settle(this.#outOfTime(conversation))),
      sentAt: 0,
      ping: undefined,
      over: promise,
      settle: answer => {
        if (pooled.conversations.get(key) !== conversation) return;
        pooled.conversations.delete(key);
        conversation.timer.cancel();
        resolve(answer);
      },
    };
    pooled.conversations.set(key, conversation);
    this.#send(pooled, conversation, packets);
    return promise;
  }

  /** Ends every conversation as a fault of ours. */
  async close(): Promise<void> {
    const all = [...this.#v4.splice(0), ...this.#v6.splice(0)];
    for (const { conversations } of all) {
      for (const conversation of conversations.values())
        conversation.settle({ kind: 'fault', detail: 'closed' });
    }
    await Promise.all(all.map(({ socket }) => new Promise<void>(resolve => socket.close(() => resolve()))));
  }

  #send(pooled: PooledSocket, conversation: Conversation, packets: Buffer[]): void {
    conversation.sentAt = this.#options.wheel.now();
    const { address, port } = conversation.endpoint;
    for (const packet of packets) {
      try {
        pooled.socket.send(packet, port, address, error => {
          if (error) conversation.settle(sendFailure(error));
        });
      } catch (error) {
        conversation.settle(sendFailure(error instanceof Error ? error : new Error(String(error))));
      }
    }
  }

  #receive(pooled: PooledSocket, datagram: Buffer, address: string, port: number): void {
    const conversation = pooled.conversations.get(`${address}|${port}`);
    if (!conversation) {
      this.strayDatagrams++;
      return;
    }
    conversation.ping ??= this.#options.wheel.now() - conversation.sentAt;
    this.#follow(pooled, conversation, conversation.exchange.receive(datagram), conversation.ping);
  }

  #follow(pooled: PooledSocket, conversation: Conversation, step: Step, ping: number): void {
    if (step.kind === 'send') this.#send(pooled, conversation, step.packets);
    else if (step.kind === 'done') conversation.settle({ kind: 'online', status: step.status, ping });
    else if (step.kind === 'malformed') conversation.settle({ kind: 'malformed', detail: step.reason });
  }

  #outOfTime({ exchange, ping }: Conversation): Answer {
    const status = exchange.partial();
    if (status) return { kind: 'online', status, ping: ping ?? 0 };
    return { kind: 'silent', detail: ping === undefined ? 'no reply' : 'no complete reply' };
  }

  async #bind(type: 'udp4' | 'udp6'): Promise<PooledSocket> {
    const socket = createSocket({
      type,
      ipv6Only: type === 'udp6',
      // Endpoints are literals: answering at once spares each send a trip through the resolver.
      lookup: (address, _options, callback) => callback(null, address, type === 'udp6' ? 6 : 4),
    });
    const pooled: PooledSocket = { socket, conversations: new Map() };
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(0, () => {
        socket.off('error', reject);
        resolve();
      });
    }).catch(error => {
      socket.close();
      throw error;
    });
    socket.on('error', error => this.#options.warn(`UDP socket: ${errorDetail(error)}`));
    socket.on('message', (datagram, from) => this.#receive(pooled, datagram, from.address, from.port));
    try {
      socket.setRecvBufferSize(this.#options.receiveBuffer);
    } catch {
      // Not every kernel caps in silence; the check behind tells what was had.
    }
    return pooled;
  }

  #checkReceiveBuffer(): void {
    const granted = Math.min(...[...this.#v4, ...this.#v6].map(({ socket }) => socket.getRecvBufferSize()));
    if (granted >= this.#options.receiveBuffer) return;
    this.#options.warn(
      `the kernel grants UDP receive buffers of ${granted} bytes instead of ${this.#options.receiveBuffer}: ` +
        'replies may be lost under load; raise net.core.rmem_max',
    );
  }
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** As the kernel will name the sender, so that `::0:1` and `::1` are one. */
function keyOf({ address, port }: Endpoint): string {
  if (!isIPv6(address)) return `${address}|${port}`;
  return `${new SocketAddress({ address, family: 'ipv6' }).address}|${port}`;
}

/** FNV-1a. */
function hash(key: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) value = Math.imul(value ^ key.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

/** Without a connected socket the kernel tells of nobody's refusal but its own, save for this one code. */
function sendFailure(error: Error): Answer {
  const detail = errorDetail(error);
  return detail === 'ECONNREFUSED'
    ? { kind: 'refused', detail }
    : { kind: 'fault', detail: `cannot send: ${detail}` };
}
