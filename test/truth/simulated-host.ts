import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { A2sReplies, type Reply } from './a2s-replies.ts';
import { PacketRate } from './packet-rate.ts';
import type { Random } from './random.ts';

export const FIRST_PORT = 27_015;
/** Players leave a server and come back, each so often. */
const PLAYED_MS = 600_000;
const RTT_MS = { least: 10, most: 150 };

/**
 * `up`: answers. `frozen`: stands still, and drops what comes meanwhile. `ended`: its process is gone and its host is there.
 * `gone`: nothing that is sent to it arrives.
 * `boxed`: its process is gone, and a box in front of it answers as it would, but for its status: with a challenge.
 */
export type Mode = 'up' | 'frozen' | 'ended' | 'gone' | 'boxed';

/** One A2S server, and what is true of it. Times are ms of the virtual clock. */
export class SimulatedServer {
  readonly host: SimulatedHost;
  readonly port: number;
  /** As callers write it. */
  readonly address: string;
  mode: Mode = 'up';
  /** When it was last down: infinite while it is. */
  downUntil = Number.NEGATIVE_INFINITY;
  /** When the first packet went that no reply but a challenge has followed; undefined while there is none. */
  silentSince: number | undefined;
  /** When it ended, until that is told. */
  endedAt: number | undefined;
  /** When it came back, until its new data is there. */
  returnedAt: number | undefined;
  /** What it plays now: another one after each restart. */
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

  /** From its end on it tells nothing of itself. */
  end(mode: 'ended' | 'gone' | 'boxed', now: number): void {
    this.mode = mode;
    this.downUntil = Number.POSITIVE_INFINITY;
    this.endedAt = now;
    this.returnedAt = undefined;
  }

  /** Starts anew, with other data. */
  start(now: number): void {
    this.mode = 'up';
    this.downUntil = now;
    this.endedAt = undefined;
    this.returnedAt = now;
    this.map = `map_${++this.#starts}`;
    this.replies = new A2sReplies(this.address, this.map);
  }

  /** What is answered for it; undefined if nothing. */
  reply(packet: Buffer, now: number): Reply | undefined {
    if (this.mode !== 'up' && this.mode !== 'boxed') return undefined;
    const reply = this.replies.to(packet, Math.floor(now / PLAYED_MS + this.#phase) % 2 === 0);
    return this.mode === 'boxed' && reply?.isStatus ? undefined : reply;
  }
}

/** Answers so many packets a second, whoever asks: a token bucket of a second. Others ask as often, at random. */
export class AnswerLimit {
  static readonly aSecond = 4;
  /** Longer ago than this, nothing is left of what was. */
  static readonly #memoryMs = 5_000;
  readonly #random: Random;
  #tokens = AnswerLimit.aSecond;
  #at = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Whether a packet that arrives now is answered. */
  take(now: number): boolean {
    this.#at = Math.max(this.#at, now - AnswerLimit.#memoryMs);
    for (;;) {
      const next = this.#at + this.#random.gap(1000 / AnswerLimit.aSecond);
      if (next >= now) break;
      this.#takeAt(next);
    }
    return this.#takeAt(now);
  }

  #takeAt(time: number): boolean {
    const filled = this.#tokens + ((time - this.#at) * AnswerLimit.aSecond) / 1000;
    this.#tokens = Math.min(AnswerLimit.aSecond, filled);
    this.#at = time;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

/** One IP address with some servers on it. */
export class SimulatedHost {
  readonly address: string;
  readonly key: AddressKey;
  readonly network: SimulatedNetwork;
  readonly rttMs: number;
  readonly servers: readonly SimulatedServer[];
  readonly rate = new PacketRate();
  packets = 0;
  /** Whether it says by ICMP that nothing listens on a port. */
  readonly refuses: boolean;
  /** The share of packets that something on the way rejects by ICMP. */
  rejects = 0;
  /** Until when all packets are lost on the way. */
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

/** One /24. */
export class SimulatedNetwork {
  readonly hosts: SimulatedHost[] = [];
  readonly rate = new PacketRate();
  /** Whether a scenario's faults befall it; the others stay well, to show that the line does. */
  readonly isTarget: boolean;

  constructor(isTarget: boolean) {
    this.isTarget = isTarget;
  }

  get servers(): SimulatedServer[] {
    return this.hosts.flatMap(({ servers }) => servers);
  }
}
