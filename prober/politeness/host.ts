import type { AddressKey } from '../../net/address-key.ts';
import type { WheelTimer } from '../timing/timer-wheel.ts';
import { PacketWindow, WINDOW_MS } from './packet-window.ts';
import type { RateLimits } from './rate-limits.ts';
import { ReservationQueue } from './reservation-queue.ts';

/**
 * A limit on packets per second, for one host, for one network or for the whole prober. Its queue assigns start times
 * to probes.
 */
export class RateLimited {
  readonly window: PacketWindow;
  readonly queue: ReservationQueue;
  /**
   * The next broader rate limit, which a packet must satisfy too. For the limit of a host, this is the limit of its
   * network. For the limit of a network, it is the limit of the whole prober, which itself has no broader limit
   * (undefined).
   */
  above: RateLimited | undefined;

  constructor(packets: number) {
    this.window = new PacketWindow(packets);
    this.queue = new ReservationQueue(this.window);
  }

  /**
   * Prepares this rate limit for use with another host or network: sets the next broader limit (`above`) and resets the
   * queue. `window` needs no reset, because its packets are so old that they no longer count.
   */
  restart(above: RateLimited): void {
    this.above = above;
    this.queue.reset();
  }

  /**
   * True if this rate limit restricts no probe at this time: the last packet is older than the sliding window, and no
   * start time is reserved. This object can then be reused for another host or network.
   */
  isIdle(now: number): boolean {
    return this.window.lastAt() + WINDOW_MS < now && this.queue.freeAt < now;
  }
}

/** A packet that waits until the rate limits allow it. */
export interface QueuedPacket {
  host: Host;
  go: (hasRoom: boolean) => void;
  /** Timer that drops the packet if it waits too long. */
  timer: WheelTimer;
}

/** Rate limit of one network, an IPv4 /24 or an IPv6 /48, with the packets that wait for this limit. */
export class Network extends RateLimited {
  /** Number of IP addresses in this network that the rate limiter currently tracks. */
  hosts = 0;
  /** Packets that wait until the rate limits allow them, oldest first. */
  waiting: QueuedPacket[] = [];
  /** Timer that fires when the rate limits allow the next waiting packet. */
  timer: WheelTimer | undefined;
}

/** A reserved start time of a postponed probe. `at`: the reserved time, ms. */
export interface Reservation {
  at: number;
  /**
   * Number of rate limits that this postponed probe has already satisfied. They are not checked again when the probe is
   * requested the next time. The limits are checked in this order: IP address, network, whole prober.
   */
  queuesPassed: number;
}

/** A running probe: it has started, and has not ended yet. */
export interface RunningProbe {
  /** Ports that this probe is allowed to query. */
  readonly ports: readonly number[];
}

/** A probe that waits until other probes of the same IP address end. */
export interface WaitingProbe {
  ports: readonly number[];
  /** Starts the probe. `now` is the current time, ms. */
  admit: (now: number) => void;
  /** Cancels the waiting probe. The probe does not start. */
  giveUp: () => void;
  timer: WheelTimer;
}

const UNBOUNDED = 1_000_000;
const NO_WAITERS: readonly WaitingProbe[] = [];

/**
 * An IP address with its rate limit and its probes. Up to a million of these objects are created per minute. Therefore
 * rarely needed fields are created on demand.
 */
export class Host extends RateLimited {
  address: AddressKey = 0;
  network: Network;
  /**
   * The narrowest rate limit for packets to this IP address. Usually the limit of the address itself. For an address
   * in a network of the operator, this is the limit of the whole prober.
   */
  first: RateLimited = this;
  /** Maximum number of concurrent probes at this address. */
  maxRunning = 0;
  /** Running probes at this address. */
  running: readonly RunningProbe[] = [];
  /**
   * Probes that wait until running probes at this address end: first the urgent probes, newest first, then the other
   * probes, oldest first.
   */
  waiters = NO_WAITERS;
  /**
   * Reserved start times of postponed probes of the servers at this IP address. The key is the first query port of a
   * server: it identifies the server, because servers at one IP address have different query ports.
   */
  reservations: Map<number, Reservation> | undefined;

  constructor(limits: RateLimits, network: Network) {
    super(limits.packetsAnAddress);
    this.network = network;
  }

  /**
   * Prepares this `Host` object for reuse with another IP address. `own`: true for an address in the operator's own
   * networks. Such an address has no limits of its own and no limit for its network. It has only the packet limit of
   * the whole prober.
   */
  assign(address: AddressKey, network: Network, limits: RateLimits, all: RateLimited, own: boolean): void {
    this.restart(network);
    this.address = address;
    this.network = network;
    this.first = own ? all : this;
    this.maxRunning = own ? UNBOUNDED : limits.probesAnAddress;
    this.reservations = undefined;
  }

  override isIdle(now: number): boolean {
    return (
      this.running.length === 0 && this.waiters.length === 0 && !this.reservations?.size && super.isIdle(now)
    );
  }
}
