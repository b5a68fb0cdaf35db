import { type AddressKey, addressKey } from '../../net/address-key.ts';
import { networkOf } from '../../net/network.ts';
import type { TimerWheel, WheelTimer } from '../timing/timer-wheel.ts';
import { AdmittedProbe } from './admitted-probe.ts';
import { Host, Network, RateLimited, type WaitingProbe } from './host.ts';
import { Pacing } from './pacing.ts';
import type { RateLimits } from './rate-limits.ts';
import { type HeldBack, PATIENCE_MS, Reservations } from './reservations.ts';

/**
 * Maximum time for which a probe waits until other probes at the same IP address end, ms. The wait begins when the rate
 * limits have admitted the probe. After this time, the probe is postponed.
 */
const MOST_WAIT_MS = 5000;
const SWEEP_MS = 1000;
/** Maximum number of tracked addresses. Callers choose the addresses, so without a limit they could fill the memory. */
const MOST_ADDRESSES = 262_144;
/**
 * Maximum number of unused objects in each free list. At a million probes a minute, about this number of probes starts
 * within two seconds, and each probe can need a new host object.
 */
const MOST_SPARE = 32_768;
/**
 * Highest packet limit of a prober, packets per second. Higher settings are lowered to this value, because a
 * `PacketWindow` stores the time of each packet.
 */
const MOST_PACKETS = 1_000_000;

/** A request to the rate limiter to start a probe. */
export interface ProbeRequest {
  /** IP address of the server, as a literal. */
  address: string;
  /**
   * Ports that the probe is allowed to query. The rate limiter identifies a server by its first port, because servers
   * at the same address have different first ports.
   */
  ports: readonly number[];
  /** True if the address is in a network of the operator, where only the packet limit of the whole prober applies. */
  own?: boolean;
  /** True if the probe starts before all other waiting probes at its address. */
  urgent?: boolean;
}

/**
 * The rate limiter of the prober. It decides when probes start and when packets are sent. It limits packets per second
 * for each IP address, for each network, and for the whole prober.
 */
export class Politeness {
  readonly #wheel: TimerWheel;
  readonly #limits: RateLimits;
  readonly #mostAddresses: number;
  readonly #all: RateLimited;
  readonly #pacing: Pacing;
  readonly #reservations = new Reservations();
  readonly #hosts = new Map<AddressKey, Host>();
  readonly #networks = new Map<AddressKey, Network>();
  // Free lists of unused host and network objects. The prober needs thousands of new host objects each second, and uses
  // each of them for about one second. Reusing these objects saves work for the garbage collector.
  readonly #spareHosts: Host[] = [];
  readonly #spareNetworks: Network[] = [];
  #sweeping: WheelTimer;

  constructor(limits: RateLimits, wheel: TimerWheel, mostAddresses = MOST_ADDRESSES) {
    this.#wheel = wheel;
    this.#limits = limits;
    this.#mostAddresses = mostAddresses;
    this.#all = new RateLimited(Math.min(limits.packetsInAll, MOST_PACKETS));
    this.#pacing = new Pacing(wheel);
    this.#sweeping = wheel.after(SWEEP_MS, () => this.#sweep());
  }

  get packetsSent(): number {
    return this.#pacing.packets;
  }

  /** Number of IP addresses that the rate limiter tracks. */
  get addresses(): number {
    return this.#hosts.size;
  }

  /**
   * Asks for permission to start a probe. The result is the admitted probe, perhaps after a wait. If the probe must not
   * start yet, the result says after how many milliseconds the caller can ask again. The caller must call `release` at
   * the end of each admitted probe.
   */
  admit({
    address,
    ports,
    own = false,
    urgent = false,
  }: ProbeRequest): AdmittedProbe | HeldBack | Promise<AdmittedProbe | HeldBack> {
    const now = this.#wheel.now();
    const key = addressKey(address);
    const host = this.#hosts.get(key) ?? this.#trackHost(key, own);
    if (!host) return { retryAfterMs: PATIENCE_MS };
    const server = ports[0] ?? 0;
    // An urgent probe needs no reserved start time and starts before other probes. The packet limits apply to it too.
    const heldBack = urgent ? undefined : this.#reservations.claim(host, server, now);
    if (heldBack) return heldBack;
    if ((urgent || host.waiters.length === 0) && this.#hasRoom(host, ports))
      return this.#start(host, ports, now);
    return this.#wait(host, ports, urgent).then(
      admitted => admitted ?? this.#reservations.requeue(host, server, this.#wheel.now()),
    );
  }

  release(admitted: AdmittedProbe, now = this.#wheel.now()): void {
    const { host, packets, since } = admitted;
    host.running = without(host.running, admitted);
    // Time for which the probe occupied its IP address, ms. An address allows several concurrent probes, so this time
    // is the duration of the probe divided by the maximum number of concurrent probes.
    const heldMs = (now - since) / this.#limits.probesAnAddress;
    for (let limit: RateLimited | undefined = host.first; limit; limit = limit.above)
      limit.queue.addSample(packets, limit === host ? heldMs : 0);
    if (host.waiters.length === 0) return;
    for (const waiting of host.waiters) {
      if (!this.#hasRoom(host, waiting.ports)) continue;
      host.waiters = without(host.waiters, waiting);
      waiting.timer.cancel();
      waiting.admit(now);
    }
  }

  /** Stops the rate limiter: drops all queued packets, and gives up all waiting probes without starting them. */
  close(): void {
    this.#sweeping.cancel();
    for (const network of this.#networks.values()) this.#pacing.dropQueued(network);
    for (const host of this.#hosts.values()) {
      const { waiters } = host;
      host.waiters = [];
      for (const { timer, giveUp } of waiters) {
        timer.cancel();
        giveUp();
      }
    }
  }

  /**
   * True if a probe can start while other probes of its address are running. Two probes never query the same port at
   * the same time, because a reply does not show which probe it belongs to.
   */
  #hasRoom({ running, maxRunning }: Host, ports: readonly number[]): boolean {
    if (running.length >= maxRunning) return false;
    return !running.some(admitted => ports.some(port => admitted.ports.includes(port)));
  }

  #start(host: Host, ports: readonly number[], now: number): AdmittedProbe {
    const admitted = new AdmittedProbe(host, ports, now, this.#pacing);
    host.running = host.running.length === 0 ? [admitted] : [...host.running, admitted];
    return admitted;
  }

  #wait(host: Host, ports: readonly number[], urgent: boolean): Promise<AdmittedProbe | undefined> {
    return new Promise(resolve => {
      const timer = this.#wheel.after(MOST_WAIT_MS, () => {
        host.waiters = without(host.waiters, waiting);
        resolve(undefined);
      });
      const waiting: WaitingProbe = {
        ports,
        admit: now => resolve(this.#start(host, ports, now)),
        giveUp: () => resolve(undefined),
        timer,
      };
      host.waiters = urgent ? [waiting, ...host.waiters] : [...host.waiters, waiting];
    });
  }

  #trackHost(key: AddressKey, own: boolean): Host | undefined {
    if (this.#hosts.size >= this.#mostAddresses) return undefined;
    const network = this.#networkAt(networkKey(key));
    network.hosts++;
    const host = this.#spareHosts.pop() ?? new Host(this.#limits, network);
    host.assign(key, network, this.#limits, this.#all, own);
    this.#hosts.set(key, host);
    return host;
  }

  #networkAt(key: AddressKey): Network {
    const known = this.#networks.get(key);
    if (known) return known;
    const network = this.#spareNetworks.pop() ?? new Network(this.#limits.packetsANetwork);
    network.restart(this.#all);
    this.#networks.set(key, network);
    return network;
  }

  /** Removes idle hosts and networks from the rate limiter, and puts their objects on the free lists. */
  #sweep(): void {
    const now = this.#wheel.now();
    this.#hosts.forEach((host, key) => {
      this.#reservations.dropExpired(host, now);
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

/** Returns the key of the network that contains an address: an IPv4 /24 or an IPv6 /48. */
function networkKey(key: AddressKey): AddressKey {
  return typeof key === 'number' ? key >> 8 : networkOf(key);
}

const NONE: readonly never[] = [];

function without<T>(list: readonly T[], gone: T): readonly T[] {
  return list.length === 1 && list[0] === gone ? NONE : list.filter(other => other !== gone);
}
