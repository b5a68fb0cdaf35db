import type { AddressKey } from '../../net/address-key.ts';
import type { WheelTimer } from '../timing/timer-wheel.ts';
import type { Budgets } from './budgets.ts';
import { Line } from './line.ts';
import { PacketWindow, WINDOW_MS } from './packet-window.ts';
import type { Visit } from './visit.ts';

/** Something with a budget of packets, and the turns to probe within it. */
export class Budgeted {
  readonly window: PacketWindow;
  readonly line: Line;
  /** What a packet that counts here counts against besides. */
  above: Budgeted | undefined;

  constructor(packets: number) {
    this.window = new PacketWindow(packets);
    this.line = new Line(this.window);
  }

  /** Begins anew, for something else of its kind. What went for the one before counts no longer. */
  begin(above: Budgeted): void {
    this.above = above;
    this.line.clear();
  }

  /** Whether nothing that went or is to come counts any longer. */
  isIdle(now: number): boolean {
    return this.window.lastAt() + WINDOW_MS < now && this.line.freeAt < now;
  }
}

/** A packet that waits for room. */
export interface PacketInLine {
  host: Host;
  go: (hasRoom: boolean) => void;
  /** Ends the wait in vain. */
  timer: WheelTimer;
}

export class Network extends Budgeted {
  /** Those kept track of. */
  hosts = 0;
  /** Packets that wait, in the order they came. */
  waiting: PacketInLine[] = [];
  /** Comes back when the first of them may go. */
  timer: WheelTimer | undefined;
}

/** A turn given to a server that was held back. */
export interface Turn {
  at: number;
  /** Budgets whose lines it has stood in, from `Host.first` on. */
  passed: number;
}

/** A probe that waits for others at its IP address to end. */
export interface AtTheDoor {
  ports: readonly number[];
  enter: (visit: Visit | undefined) => void;
  timer: WheelTimer;
}

const UNBOUNDED = 1_000_000;
const NOBODY: readonly AtTheDoor[] = [];

/** One IP address. There are a million of them a minute, most of them for a second: what few need is made when it is. */
export class Host extends Budgeted {
  address: AddressKey = 0;
  network: Network;
  /** What a packet to here counts against, and what is above: its own budget, the network's, all; all alone where it is ours. */
  first: Budgeted = this;
  /** Probes that may be under way. */
  mostVisits = 0;
  /** Probes under way. */
  visits: readonly Visit[] = [];
  /** In the order they came. */
  door = NOBODY;
  /** By the port that stands for a server. */
  turns: Map<number, Turn> | undefined;

  constructor(budgets: Budgets, network: Network) {
    super(budgets.packetsAnAddress);
    this.network = network;
  }

  /** Stands for another address from now on. `own`: on a network of the operator's, whom nobody else's manners protect. */
  meet(address: AddressKey, network: Network, budgets: Budgets, all: Budgeted, own: boolean): void {
    this.begin(network);
    this.address = address;
    this.network = network;
    this.first = own ? all : this;
    this.mostVisits = own ? UNBOUNDED : budgets.probesAnAddress;
    this.turns = undefined;
  }

  override isIdle(now: number): boolean {
    return this.visits.length === 0 && this.door.length === 0 && !this.turns?.size && super.isIdle(now);
  }
}
