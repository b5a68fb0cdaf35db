import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { networkOf } from '../../net/network.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';
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
/** As many as a million probes a minute meet in two seconds. */
const MOST_SPARE = 32_768;
/** No process sends as many; the times of the last ones are kept. */
const MOST_PACKETS = 1_000_000;

/** A probe that wants to begin. */
export interface Visitor {
  /** An IP address literal. */
  address: string;
  /** The ports it may ask; the first stands for the server. */
  ports: readonly number[];
  /** The address is the operator's own, and only what goes out in all counts. */
  own?: boolean;
  /** It goes before others at its address. */
  urgent?: boolean;
}

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
  readonly #hosts = new Map<AddressKey, Host>();
  readonly #networks = new Map<AddressKey, Network>();
  // Of those forgotten: as many are met each second, and what lives for a second is dear to collect.
  readonly #spareHosts: Host[] = [];
  readonly #spareNetworks: Network[] = [];
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

  /** Lets a probe in, or says when to come again. A visit wants a `leave`. */
  enter({
    address,
    ports,
    own = false,
    urgent = false,
  }: Visitor): Visit | HeldBack | Promise<Visit | HeldBack> {
    const now = this.#wheel.now();
    const key = addressKey(address);
    const host = this.#hosts.get(key) ?? this.#meet(key, own);
    if (!host) return { retryAfterMs: PATIENCE_MS };
    const server = ports[0] ?? 0;
    // An urgent probe takes no turn: it goes ahead of those that have one, and the packet windows still hold.
    const heldBack = urgent ? undefined : this.#turns.stand(host, server, now);
    if (heldBack) return heldBack;
    if ((urgent || host.door.length === 0) && this.#hasRoom(host, ports))
      return this.#letIn(host, ports, now);
    return this.#wait(host, ports, urgent).then(
      visit => visit ?? this.#turns.again(host, server, this.#wheel.now()),
    );
  }

  leave(visit: Visit, now = this.#wheel.now()): void {
    const { host, packets, since } = visit;
    host.visits = without(host.visits, visit);
    const heldMs = (now - since) / this.#budgets.probesAnAddress;
    for (let budget: Budgeted | undefined = host.first; budget; budget = budget.above)
      budget.line.learn(packets, budget === host ? heldMs : 0);
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

  #wait(host: Host, ports: readonly number[], urgent: boolean): Promise<Visit | undefined> {
    return new Promise(enter => {
      const timer = this.#wheel.after(MOST_WAIT_MS, () => {
        host.door = without(host.door, waiting);
        enter(undefined);
      });
      const waiting: AtTheDoor = { ports, enter, timer };
      host.door = urgent ? [waiting, ...host.door] : [...host.door, waiting];
    });
  }

  #meet(key: AddressKey, own: boolean): Host | undefined {
    if (this.#hosts.size >= this.#mostAddresses) return undefined;
    const network = this.#networkAt(networkKey(key));
    network.hosts++;
    const host = this.#spareHosts.pop() ?? new Host(this.#budgets, network);
    host.meet(key, network, this.#budgets, this.#all, own);
    this.#hosts.set(key, host);
    return host;
  }

  #networkAt(key: AddressKey): Network {
    const known = this.#networks.get(key);
    if (known) return known;
    const network = this.#spareNetworks.pop() ?? new Network(this.#budgets.packetsANetwork);
    network.begin(this.#all);
    this.#networks.set(key, network);
    return network;
  }

  /** Forgets what counts no longer. */
  #sweep(): void {
    const now = this.#wheel.now();
    this.#hosts.forEach((host, key) => {
      this.#turns.sweep(host, now);
      if (!host.isIdle(now)) return;
      this.#hosts.delete(key);
      host.network.hosts--;
      if (this.#spareHosts.length < MOST_SPARE) this.#spareHosts.push(host);
    });
    this.#networks.forEach((network, key) => {
      if (network.hosts > 0 || !network.isIdle(now)) return;
      this.#networks.delete(key);
      if (this.#spareNetworks.length < MOST_SPARE) this.#spareNetworks.push(network);
    });
    this.#sweeping = this.#wheel.after(SWEEP_MS, () => this.#sweep());
  }
}

/** Of the network an address is in: a /24 of IPv4, a /48 of IPv6. */
function networkKey(key: AddressKey): AddressKey {
  return typeof key === 'number' ? key >> 8 : networkOf(key);
}

const NONE: readonly never[] = [];

function without<T>(list: readonly T[], gone: T): readonly T[] {
  return list.length === 1 && list[0] === gone ? NONE : list.filter(other => other !== gone);
}
