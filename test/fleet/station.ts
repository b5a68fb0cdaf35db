import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { ioquake3Limit, type RateLimit, sourceLimit } from './rate-limit.ts';
import type { FleetServer, Responder } from './responder.ts';
import { responders } from './responders.ts';

/** Behaviour of a fake server. If no field is set, the server answers every request immediately. */
export interface Behaviour {
  /** If this field is N, the fake server loses every N-th packet. Received and sent packets are counted together. */
  loseOneIn?: number;
  delayMs?: number;
  rateLimit?: 'ioquake3' | 'source';
  /** If true, the fake server receives packets but sends no replies. */
  silent?: boolean;
  /** Number of bytes to which the fake server truncates its replies. */
  cutAt?: number;
}

/** Description of one fake server of a fleet. */
export interface FleetMember {
  /** Id of the protocol of the fake server, as in catalog.json. */
  protocol: string;
  /** Loopback address of the fake server. */
  address: string;
  /**
   * Status and port of the server. If the port is 0, the fleet takes a free port, and stores the port number in this
   * object.
   */
  server: FleetServer;
  behaviour?: Behaviour;
}

/** Numbers of packets that one fake server received and answered. */
export interface Traffic {
  received: number;
  answered: number;
  /** Peak packet rate so far: the largest number of packets that the fake server has received within one second. */
  mostInASecond: number;
}

const LIMITS = { ioquake3: ioquake3Limit, source: sourceLimit };

/** One fake server of the fleet with its socket. */
export class Station {
  readonly member: FleetMember;
  readonly traffic: Traffic = { received: 0, answered: 0, mostInASecond: 0 };
  readonly #responder: Responder;
  #behaviour: Behaviour = {};
  #limit: RateLimit | undefined;
  readonly #recent: number[] = [];
  #packets = 0;
  #udp: DatagramSocket | undefined;
  #tcp: Server | undefined;

  constructor(member: FleetMember) {
    this.member = member;
    const responder = responders.get(member.protocol);
    if (!responder) throw new Error(`the fleet has no servers of ${member.protocol}`);
    this.#responder = responder;
    this.behave(member.behaviour ?? {});
  }

  behave(behaviour: Behaviour): void {
    this.#behaviour = behaviour;
    this.#limit = behaviour.rateLimit && LIMITS[behaviour.rateLimit]();
  }

  async open(): Promise<void> {
    const { address, server } = this.member;
    const responder = this.#responder;
    if (responder.transport === 'udp') {
      const socket = createSocket('udp4');
      this.#udp = socket;
      socket.on('message', (request, from) => {
        if (!this.#lets(from.address)) return;
        this.#later(() => {
          for (const reply of responder.respond(server, request)) {
            if (!this.#loses()) socket.send(this.#cut(reply), from.port, from.address);
          }
        });
      });
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.bind(server.port, address, () => resolve());
      });
      server.port = socket.address().port;
      return;
    }
    const tcp = createServer(connection => this.#converse(connection, responder));
    this.#tcp = tcp;
    await new Promise<void>((resolve, reject) => {
      tcp.once('error', reject);
      tcp.listen(server.port, address, () => resolve());
    });
    const bound = tcp.address();
    if (bound && typeof bound === 'object') server.port = bound.port;
  }

  async close(): Promise<void> {
    await new Promise<void>(resolve => (this.#udp ? this.#udp.close(() => resolve()) : resolve()));
    await new Promise<void>(resolve => (this.#tcp ? this.#tcp.close(() => resolve()) : resolve()));
  }

  #converse(connection: Socket, responder: Responder & { transport: 'tcp' }): void {
    connection.on('error', () => {});
    if (!this.#lets(connection.remoteAddress ?? '')) return void connection.destroy();
    if (responder.greeting) connection.write(responder.greeting);
    let pending = Buffer.alloc(0);
    connection.on('data', chunk => {
      pending = Buffer.concat([pending, chunk]);
      const replies = responder.respond(this.member.server, pending);
      if (!replies) return;
      pending = Buffer.alloc(0);
      this.#later(() => {
        for (const reply of replies) connection.write(this.#cut(reply));
      });
    });
  }

  /**
   * Counts a received packet. Returns false if the packet gets no answer, because the server is silent, loses the
   * packet or limits the rate.
   */
  #lets(from: string): boolean {
    const now = performance.now();
    this.traffic.received++;
    this.#recent.push(now);
    while ((this.#recent[0] ?? now) <= now - 1000) this.#recent.shift();
    this.traffic.mostInASecond = Math.max(this.traffic.mostInASecond, this.#recent.length);
    if (this.#behaviour.silent || this.#loses()) return false;
    if (this.#limit && !this.#limit(from, now)) return false;
    this.traffic.answered++;
    return true;
  }

  #loses(): boolean {
    const { loseOneIn } = this.#behaviour;
    return loseOneIn !== undefined && ++this.#packets % loseOneIn === 0;
  }

  #later(answer: () => void): void {
    const { delayMs } = this.#behaviour;
    if (delayMs) setTimeout(answer, delayMs);
    else answer();
  }

  #cut(reply: Buffer): Buffer {
    const { cutAt } = this.#behaviour;
    return cutAt === undefined ? reply : reply.subarray(0, cutAt);
  }
}
