import type { AddressKey } from '../../net/address-key.ts';
import type { WheelTimer } from '../timing/timer-wheel.ts';
import { PacketWindow, WINDOW_MS } from './packet-window.ts';
import type { RateLimits } from './rate-limits.ts';
import { ReservationQueue } from './reservation-queue.ts';

/** Something with a limit of packets, and the reservations to probe within it. */
export class RateLimited {
  readonly window: PacketWindow;
  readonly queue: ReservationQueue;
  /** What a packet that counts here counts against besides. */
  above: RateLimited | undefined;

  constructor(packets: number) {
    this.window = new PacketWindow(packets);
    this.queue = new ReservationQueue(this.window);
  }

  /** Begins anew, for something else of its kind. What went for the one before counts no longer. */
  restart(above: RateLimited): void {
    this.above = above;
    this.queue.reset();
  }

  /** Whether nothing that went or is to come counts any longer. */
  isIdle(now: number): boolean {
    return this.window.lastAt() + WINDOW_MS < now && this.queue.freeAt < now;
  }
}

/** A packet that waits for room. */
export interface QueuedPacket {
  host: Host;
  go: (hasRoom: boolean) => void;
  /** Ends the wait in vain. */
  timer: WheelTimer;
}

export class Network extends RateLimited {
  /** Those kept track of. */
  hosts = 0;
  /** Packets that wait, in the order they came. */
  waiting: QueuedPacket[] = [];
  /** Comes back when the first of them may go. */
  timer: WheelTimer | undefined;
}

/** A reservation given to a server that was held back. */
export interface Reservation {
  at: number;
  /** RateLimits whose lines it has stood in, from `Host.first` on. */
  queuesPassed: number;
}

/** A probe under way at an IP address. */
export interface RunningProbe {
  /** The ports it may ask. */
  readonly ports: readonly number[];
}

/** A probe that waits until others at its IP address end. */
export interface WaitingProbe {
  ports: readonly number[];
  /** Lets the probe begin at `now`, ms. */
  admit: (now: number) => void;
  /** Ends the wait in vain. */
  giveUp: () => void;
  timer: WheelTimer;
}

const UNBOUNDED = 1_000_000;
const NO_WAITERS: readonly WaitingProbe[] = [];

/** One IP address. There are a million of them a minute, most of them for a second: what few need is made when it is. */
export class Host extends RateLimited {
  address: AddressKey = 0;
  network: Network;
  /** What a packet to here counts against, and what is above: its own limit, the network's, all; all alone where it is ours. */
  first: RateLimited = this;
  /** Probes that may be under way. */
  maxRunning = 0;
  /** Probes under way. */
  running: readonly RunningProbe[] = [];
  /** In the order they came. */
  waiters = NO_WAITERS;
  /** By the port that stands for a server. */
  reservations: Map<number, Reservation> | undefined;

  constructor(limits: RateLimits, network: Network) {
    super(limits.packetsAnAddress);
    this.network = network;
  }

  /** Stands for another address from now on. `own`: on a network of the operator's, whom nobody else's politeness protect. */
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
