import { networkOf } from '../../proto/network.ts';
import type { TimerWheel, WheelTimer } from '../transport/timer-wheel.ts';
import type { Budgets } from './budgets.ts';
import { type AtTheDoor, Budgeted, Host, Network } from './host.ts';
import { Pacing } from './pacing.ts';
import { type HeldBack, PATIENCE_MS, Turns } from './turns.ts';
import { Visit } from './visit.ts';

/** A probe whose turn has come waits no longer than this for those before it to end. */
const MOST_WAIT_MS = 5000;
const SWEEP_MS = 1000;
/** Outsiders choose the addresses. Those that packets went to of late are fewer by the budget of all. */
const MOST_ADDRESSES = 262_144;
/** No process sends as many; the times of the last ones are kept. */
const MOST_PACKETS = 1_000_000;

/**
 * Keeps the prober from being a burden: says when a probe may begin and when each of its packets may go. Whoever
 * counts packets never sees more in any second than the budgets of an address, its network and all allow.
 */
export class Manners {
  readonly #wheel: TimerWheel;
  readonly #budgets: Budgets;
  readonly #mostAddresses: number;
  readonly #all: Budgeted;
  readonly #pacing: Pacing;
  readonly #turns = new Turns();
  readonly #hosts = new Map<string, Host>();
  readonly #networks = new Map<string, Network>();
  #sweeping: WheelTimer;

  constructor(budgets: Budgets, wheel: TimerWheel, mostAddresses = MOST_ADDRESSES) {
    this.#wheel = wheel;
    this.#budgets = budgets;
    this.#mostAddresses = mostAddresses;
    this.#all = new Budgeted(Math.min(budgets.packetsInAll, MOST_PACKETS));
    this.#pacing = new Pacing(wheel);
    this.#sweeping = wheel.after(SWEEP_MS, () => this.#sweep());
  }

  get packetsSent(): number {
    return this.#pacing.packets;
  }

  /** IP addresses kept track of. */
  get addresses(): number {
    return this.#hosts.size;
  }

  /**
   * Lets a probe in that may ask these ports, the first of which stands for the server. A visit wants a `leave`. `own`: the
   * address is the operator's, and only what goes out in all counts.
   */
  enter(
    address: string,
    ports: readonly number[],
    own = false,
  ): Visit | HeldBack | Promise<Visit | HeldBack> {
    const now = this.#wheel.now();
    const host = this.#hosts.get(address) ?? this.#meet(address, own);
    if (!host) return { retryAfterMs: PATIENCE_MS };
    const server = ports[0] ?? 0;
    const heldBack = this.#turns.stand(host, server, now);
    if (heldBack) return heldBack;
    if (host.door.length === 0 && this.#hasRoom(host, ports)) return this.#letIn(host, ports, now);
    return this.#wait(host, ports).then(visit => visit ?? this.#turns.again(host, server, this.#wheel.now()));
  }

  leave(visit: Visit): void {
    const { host, packets, since } = visit;
    const now = this.#wheel.now();
    host.visits = without(host.visits, visit);
    host.line.learn(packets, (now - since) / this.#budgets.probesAnAddress);
    host.network.line.learn(packets, 0);
    this.#all.line.learn(packets, 0);
    if (host.door.length === 0) return;
    for (const waiting of host.door) {
      if (!this.#hasRoom(host, waiting.ports)) continue;
      host.door = without(host.door, waiting);
      waiting.timer.cancel();
      waiting.enter(this.#letIn(host, waiting.ports, now));
    }
  }

  /** Ends every wait in vain. */
  close(): void {
    this.#sweeping.cancel();
    for (const network of this.#networks.values()) this.#pacing.abandon(network);
    for (const host of this.#hosts.values()) {
      const { door } = host;
      host.door = [];
      for (const { timer, enter } of door) {
        timer.cancel();
        enter(undefined);
      }
    }
  }

  /** Two probes never ask one port at once: a reply would not tell which of them it is for. */
  #hasRoom({ visits, mostVisits }: Host, ports: readonly number[]): boolean {
    if (visits.length >= mostVisits) return false;
    return !visits.some(visit => ports.some(port => visit.ports.includes(port)));
  }

  #letIn(host: Host, ports: readonly number[], now: number): Visit {
    const visit = new Visit(host, ports, now, this.#pacing);
    host.visits = host.visits.length === 0 ? [visit] : [...host.visits, visit];
    return visit;
  }

  #wait(host: Host, ports: readonly number[]): Promise<Visit | undefined> {
    return new Promise(enter => {
      const timer = this.#wheel.after(MOST_WAIT_MS, () => {
        host.door = without(host.door, waiting);
        enter(undefined);
      });
      const waiting: AtTheDoor = { ports, enter, timer };
      host.door = [...host.door, waiting];
    });
  }

  #meet(address: string, own: boolean): Host | undefined {
    if (this.#hosts.size >= this.#mostAddresses) return undefined;
    const name = networkOf(address);
    let network = this.#networks.get(name);
    if (!network) {
      network = new Network(name, this.#budgets.packetsANetwork, this.#all);
      this.#networks.set(name, network);
    }
    network.hosts++;
    const host = new Host(this.#budgets, network, this.#all, own);
    this.#hosts.set(address, host);
    return host;
  }

  /** Forgets what counts no longer. */
  #sweep(): void {
    const now = this.#wheel.now();
    for (const [address, host] of this.#hosts) {
      this.#turns.sweep(host, now);
      if (!host.isIdle(now)) continue;
      this.#hosts.delete(address);
      host.network.hosts--;
    }
    for (const [name, network] of this.#networks) {
      if (network.hosts === 0 && network.isIdle(now)) this.#networks.delete(name);
    }
    this.#sweeping = this.#wheel.after(SWEEP_MS, () => this.#sweep());
  }
}

const NONE: readonly never[] = [];

function without<T>(list: readonly T[], gone: T): readonly T[] {
  return list.length === 1 && list[0] === gone ? NONE : list.filter(other => other !== gone);
}
