import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { A2sReplies, type Reply } from './a2s-replies.ts';
import { PacketRate } from './packet-rate.ts';
import type { Random } from './random.ts';

export const FIRST_PORT = 27_015;
/** Players leave a server and return at this interval, ms. */
const PLAYED_MS = 600_000;
const RTT_MS = { least: 10, most: 150 };

/**
 * `up`: the server answers. `frozen`: the server drops all packets. `ended`: the process has ended and the
 * host still runs. `gone`: the host is unreachable.
 *
 * `boxed`: the process has ended, and a firewall in front of the host still answers with challenges, but
 * never with a status.
 */
export type Mode = 'up' | 'frozen' | 'ended' | 'gone' | 'boxed';

/** One fake A2S server with its true state. Times are in ms of the virtual clock. */
export class SimulatedServer {
  readonly host: SimulatedHost;
  readonly port: number;
  /** The server's address, `host:port`, as callers write it. */
  readonly address: string;
  mode: Mode = 'up';
  /** End of the last downtime: infinite while the server is down. */
  downUntil = Number.NEGATIVE_INFINITY;
  /**
   * Send time of the first packet since the last status reply; a challenge does not count as a status reply.
   * Undefined if none is waiting.
   */
  silentSince: number | undefined;
  /** When the server ended; undefined once the core has reported the server offline. */
  endedAt: number | undefined;
  /** When the server restarted; undefined once the core has reported its new data. */
  returnedAt: number | undefined;
  /** Name of the server's current map, which changes on each restart. */
  map = 'map_0';
  replies: A2sReplies;
  readonly #phase: number;
  #starts = 0;

  constructor(host: SimulatedHost, port: number, random: Random) {
    this.host = host;
    this.port = port;
    this.address = `${host.address}:${port}`;
    this.#phase = random.unit() * 2;
    this.replies = new A2sReplies(this.address, this.map);
  }

  /** Ends the server: no status reply follows until its next start. */
  end(mode: 'ended' | 'gone' | 'boxed', now: number): void {
    this.mode = mode;
    this.downUntil = Number.POSITIVE_INFINITY;
    this.endedAt = now;
    this.returnedAt = undefined;
  }

  /** Restarts the server with another map. */
  start(now: number): void {
    this.mode = 'up';
    this.downUntil = now;
    this.endedAt = undefined;
    this.returnedAt = now;
    this.map = `map_${++this.#starts}`;
    this.replies = new A2sReplies(this.address, this.map);
  }

  /** Returns the reply to a packet; undefined if none is sent. */
  reply(packet: Buffer, now: number): Reply | undefined {
    if (this.mode !== 'up' && this.mode !== 'boxed') return undefined;
    const reply = this.replies.to(packet, Math.floor(now / PLAYED_MS + this.#phase) % 2 === 0);
    return this.mode === 'boxed' && reply?.isStatus ? undefined : reply;
  }
}

/**
 * A token bucket that limits the replies of a host to a number a second over all clients. Simulated other
 * clients ask at random, on average at the same rate.
 */
export class AnswerLimit {
  static readonly aSecond = 4;
  /** Packets of other clients older than this, ms, no longer affect the token bucket. */
  static readonly #memoryMs = 5_000;
  readonly #random: Random;
  #tokens = AnswerLimit.aSecond;
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns whether a packet that arrives at `now` is answered. */
  admitsPacket(now: number): boolean {
    this.#at = Math.max(this.#at, now - AnswerLimit.#memoryMs);
    for (;;) {
      const next = this.#at + this.#random.gap(1000 / AnswerLimit.aSecond);
      if (next >= now) break;
      this.#takeTokenAt(next);
    }
    return this.#takeTokenAt(now);
  }

  #takeTokenAt(time: number): boolean {
    const filled = this.#tokens + ((time - this.#at) * AnswerLimit.aSecond) / 1000;
    this.#tokens = Math.min(AnswerLimit.aSecond, filled);
    this.#at = time;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** One IP address with its servers. */
export class SimulatedHost {
  readonly address: string;
  readonly key: AddressKey;
  readonly network: SimulatedNetwork;
  readonly rttMs: number;
  readonly servers: readonly SimulatedServer[];
  readonly rate = new PacketRate();
  packets = 0;
  /** True if the host answers packets to a closed port with ICMP "port unreachable". */
  readonly refuses: boolean;
  /** Share of packets that a router on the way rejects by ICMP. */
  rejects = 0;
  /** All packets of this host are lost until this time, ms. */
  deafUntil = Number.NEGATIVE_INFINITY;
  limit: AnswerLimit | undefined;

  constructor(network: SimulatedNetwork, address: string, servers: number, random: Random) {
    this.network = network;
    this.address = address;
    this.key = addressKey(address);
    this.rttMs = random.between(RTT_MS.least, RTT_MS.most);
    this.refuses = random.unit() < 0.5;
    this.servers = Array.from(
      { length: servers },
      (_, i) => new SimulatedServer(this, FIRST_PORT + i, random),
    );
  }
}

/** One /24 network with its hosts. */
export class SimulatedNetwork {
  readonly hosts: SimulatedHost[] = [];
  readonly rate = new PacketRate();
  /**
   * True if the faults of a scenario hit this network. The other networks stay healthy and show the prober
   * that its own network works.
   */
  readonly isTarget: boolean;

  constructor(isTarget: boolean) {
    this.isTarget = isTarget;
  }

  get servers(): SimulatedServer[] {
    return this.hosts.flatMap(({ servers }) => servers);
  }
}
