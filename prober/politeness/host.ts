import type { AddressKey } from '../../net/address-key.ts';
import type { WheelTimer } from '../timing/timer-wheel.ts';
import { PacketWindow, WINDOW_MS } from './packet-window.ts';
import type { RateLimits } from './rate-limits.ts';
import { ReservationQueue } from './reservation-queue.ts';

/** A packet rate limit with its queue of reservations. It belongs to a host, to a network or to the whole prober. */
export class RateLimited {
  readonly window: PacketWindow;
  readonly queue: ReservationQueue;
  /** Next wider rate limit, against which each packet counts too. Undefined for the limit of the whole prober. */
  above: RateLimited | undefined;

  constructor(packets: number) {
    this.window = new PacketWindow(packets);
    this.queue = new ReservationQueue(this.window);
  }

  /**
   * Prepares this object for use with another host or network. The window needs no reset, because all its send times
   * are too old to count.
   */
  restart(above: RateLimited): void {
    this.above = above;
    this.queue.reset();
  }

  /** True if all sent packets are outside the window and all reservations are in the past. */
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

/** Rate limit of one network, an IPv4 /24 or an IPv6 /48, with the packets that wait in it. */
export class Network extends RateLimited {
  /** Number of tracked hosts in this network. */
  hosts = 0;
  /** Packets that wait until the rate limits allow them, oldest first. */
  waiting: QueuedPacket[] = [];
  /** Timer that fires when the rate limits allow the next waiting packet. */
  timer: WheelTimer | undefined;
}

/** Time at which a postponed server can be probed, ms, and the number of rate limits that the server has passed. */
export interface Reservation {
  at: number;
  /**
   * Number of rate limits whose queues the server need not enter again. They are counted from the narrowest limit to
   * the limit of the whole prober.
   */
  queuesPassed: number;
}

/** A running probe at an IP address. */
export interface RunningProbe {
  /** Ports that this probe is allowed to query. */
  readonly ports: readonly number[];
}

/** A probe that waits until other probes of the same IP address end. */
export interface WaitingProbe {
  ports: readonly number[];
  /** Starts the probe at `now`, ms. */
  admit: (now: number) => void;
  /** Ends the wait without starting the probe. */
  giveUp: () => void;
  timer: WheelTimer;
}

const UNBOUNDED = 1_000_000;
const NO_WAITERS: readonly WaitingProbe[] = [];

/**
 * Rate limits and probes of one IP address. At a million probes a minute, a million hosts are created per minute, and
 * usually each exists for a second. Therefore rarely used parts of a host are created on demand.
 */
export class Host extends RateLimited {
  address: AddressKey = 0;
  network: Network;
  /**
   * Narrowest rate limit for packets to this address. Usually it is the limit of this host. For an address in the
   * operator's own networks, it is the limit of the whole prober.
   */
  first: RateLimited = this;
  /** Maximum number of concurrent probes at this address. */
  maxRunning = 0;
  /** Running probes at this address. */
  running: readonly RunningProbe[] = [];
  /** Probes that wait until running probes at this address end. Urgent probes are first, then the oldest. */
  waiters = NO_WAITERS;
  /** Reservations of the servers at this address, keyed by the first query port of the server. */
  reservations: Map<number, Reservation> | undefined;

  constructor(limits: RateLimits, network: Network) {
    super(limits.packetsAnAddress);
    this.network = network;
  }

  /**
   * Resets this object for use with another address. If `own` is true, the address is in a network of the operator,
   * where only the rate limit of the whole prober applies.
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
