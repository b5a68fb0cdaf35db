import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { A2sReplies, type Reply } from './a2s-replies.ts';
import { PacketRate } from './packet-rate.ts';
import type { Random } from './random.ts';

export const FIRST_PORT = 27_015;
/**
 * Time in milliseconds for which a simulated server has players. Then it has no players for the same time, and so on.
 */
const PLAYED_MS = 600_000;
const RTT_MS = { least: 10, most: 150 };

/**
 * State of a simulated server. `unresponsive`: drops all packets. `ended`: stopped on a running host. `gone`: host
 * unreachable. `boxed`: stopped, but a firewall still sends challenges.
 */
export type Mode = 'up' | 'unresponsive' | 'ended' | 'gone' | 'boxed';

/** One fake A2S server with its true state. Times are in milliseconds of the virtual clock. */
export class SimulatedServer {
  readonly host: SimulatedHost;
  readonly port: number;
  /** Address of the server as callers write it, `host:port`. */
  readonly address: string;
  mode: Mode = 'up';
  /**
   * End of the last downtime of the simulated server, in milliseconds of the virtual clock. Infinity while the server
   * is down.
   */
  downUntil = Number.NEGATIVE_INFINITY;
  /**
   * Time of the first packet that the prober sent after it received the last status reply of the server. It is
   * undefined if the prober has sent no packet since then. A challenge is not a status reply.
   */
  silentSince: number | undefined;
  /** Time at which the simulated server was stopped. Undefined as soon as the core has reported the server offline. */
  endedAt: number | undefined;
  /** Time at which the simulated server restarted. Undefined as soon as the core has the new data of the server. */
  returnedAt: number | undefined;
  /** Name of the current map of the simulated server. Each restart of the server changes the map. */
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

  /** Stops the simulated server. Until its next start, the server sends no status reply. */
  end(mode: 'ended' | 'gone' | 'boxed', now: number): void {
    this.mode = mode;
    this.downUntil = Number.POSITIVE_INFINITY;
    this.endedAt = now;
    this.returnedAt = undefined;
  }

  /** Restarts the simulated server with a different map. */
  start(now: number): void {
    this.mode = 'up';
    this.downUntil = now;
    this.endedAt = undefined;
    this.returnedAt = now;
    this.map = `map_${++this.#starts}`;
    this.replies = new A2sReplies(this.address, this.map);
  }

  /** Returns the reply of the simulated server to a packet. Returns undefined if the server sends no reply. */
  reply(packet: Buffer, now: number): Reply | undefined {
    if (this.mode !== 'up' && this.mode !== 'boxed') return undefined;
    const reply = this.replies.to(packet, Math.floor(now / PLAYED_MS + this.#phase) % 2 === 0);
    return this.mode === 'boxed' && reply?.isStatus ? undefined : reply;
  }
}

/**
 * Limits the replies of a simulated host with a token bucket, which gets `aSecond` tokens per second. Each reply to the
 * prober takes a token. Simulated other clients also take `aSecond` tokens per second on average, so the bucket is
 * often empty.
 */
export class AnswerLimit {
  static readonly aSecond = 4;
  /**
   * Time before each packet of the prober for which packets of other clients are simulated, in milliseconds. Older
   * packets of other clients hardly change the result, and are left out.
   */
  static readonly #memoryMs = 5_000;
  readonly #random: Random;
  #tokens = AnswerLimit.aSecond;
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * Returns true if the simulated host can reply to a packet that arrives at the time `now`. Returns false if the limit
   * for replies is reached.
   */
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

/** A simulated host: one IP address with its game servers. */
export class SimulatedHost {
  readonly address: string;
  readonly key: AddressKey;
  readonly network: SimulatedNetwork;
  readonly rttMs: number;
  readonly servers: readonly SimulatedServer[];
  readonly rate = new PacketRate();
  packets = 0;
  /** True if the simulated host answers packets to a closed port with ICMP "port unreachable". */
  readonly refuses: boolean;
  /** Share of the packets to this simulated host that a router on the way rejects with an ICMP message. */
  rejects = 0;
  /**
   * Time at which the current burst of packet loss ends, in milliseconds of the virtual clock. Until then, all packets
   * to and from this simulated host are lost.
   */
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

/** A simulated /24 network with its hosts. */
export class SimulatedNetwork {
  readonly hosts: SimulatedHost[] = [];
  readonly rate = new PacketRate();
  /**
   * True if faults affect this simulated network. All other networks stay healthy, so the prober sees that its own
   * connection works.
   */
  readonly isTarget: boolean;

  constructor(isTarget: boolean) {
    this.isTarget = isTarget;
  }

  get servers(): SimulatedServer[] {
    return this.hosts.flatMap(({ servers }) => servers);
  }
}
