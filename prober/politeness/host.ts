import type { AddressKey } from '../../net/address-key.ts';
import type { WheelTimer } from '../timing/timer-wheel.ts';
import { PacketWindow, WINDOW_MS } from './packet-window.ts';
import type { RateLimits } from './rate-limits.ts';
import { ReservationQueue } from './reservation-queue.ts';

/** A packet rate limit with its queue of reservations: of a host, a network or the whole prober. */
export class RateLimited {
  readonly window: PacketWindow;
  readonly queue: ReservationQueue;
  /** The wider limit that each packet counts against as well. */
  above: RateLimited | undefined;

  constructor(packets: number) {
    this.window = new PacketWindow(packets);
    this.queue = new ReservationQueue(this.window);
  }

  /** Reuses this object for another host or network. Packets sent for the previous one stay in the window. */
  restart(above: RateLimited): void {
    this.above = above;
    this.queue.reset();
  }

  /** True if no sent packet and no reservation counts any longer. */
  isIdle(now: number): boolean {
    return this.window.lastAt() + WINDOW_MS < now && this.queue.freeAt < now;
  }
}

/** A packet that waits until its rate limits have room. */
export interface QueuedPacket {
  host: Host;
  go: (hasRoom: boolean) => void;
  /** Gives up the wait. */
  timer: WheelTimer;
}

export class Network extends RateLimited {
  /** Number of tracked hosts in this network. */
  hosts = 0;
  /** Packets that wait for room, oldest first. */
  waiting: QueuedPacket[] = [];
  /** Fires when the first waiting packet may be sent. */
  timer: WheelTimer | undefined;
}

/** A time at which a postponed server may be probed. */
export interface Reservation {
  at: number;
  /** Number of queues that the server has passed already, counted from `Host.first`. */
  queuesPassed: number;
}

/** A probe under way at an IP address. */
export interface RunningProbe {
  /** The ports that this probe may ask. */
  readonly ports: readonly number[];
}

/** A probe that waits until other probes of its IP address end. */
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
 * The rate limits of one IP address. A million a minute are created, most of them for a second, so rarely
 * used parts are created on demand.
 */
export class Host extends RateLimited {
  address: AddressKey = 0;
  network: Network;
  /**
   * The narrowest limit a packet counts against; `above` leads to the wider ones. For the operator's own
   * networks it is the limit of the whole prober.
   */
  first: RateLimited = this;
  /** Most probes that may run at this address at once. */
  maxRunning = 0;
  /** The probes that run at this address now. */
  running: readonly RunningProbe[] = [];
  /** Probes that wait for others at this address, oldest first. */
  waiters = NO_WAITERS;
  /** Reservations by the port that identifies the server. */
  reservations: Map<number, Reservation> | undefined;

  constructor(limits: RateLimits, network: Network) {
    super(limits.packetsAnAddress);
    this.network = network;
  }

  /**
   * Reuses this object for another address. `own`: the address is in a network of the operator, to which only
   * the limit of the whole prober applies.
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
