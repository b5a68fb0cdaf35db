import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { Host, Network, QueuedPacket, RateLimited } from './host.ts';

/** Longest time that a packet waits until the rate limits allow it, ms. After this time the packet is dropped. */
const MOST_WAIT_MS = 5000;

/**
 * Decides when each packet can be sent, so that no rate limit is exceeded. Waiting packets are queued by network (IPv4
 * /24 or IPv6 /48). Packets to one address keep their order.
 */
export class Pacing {
  /** Number of packets that the rate limits have allowed since the start of the process. */
  packets = 0;
  readonly #wheel: TimerWheel;

  constructor(wheel: TimerWheel) {
    this.#wheel = wheel;
  }

  now(): number {
    return this.#wheel.now();
  }

  /**
   * Returns true if the rate limits allow a packet to this host now. The packet then counts as sent, so the caller must
   * send it.
   */
  reservePacket(host: Host, now: number): boolean {
    // Sends the packets that are already queued for the same network (IPv4 /24 or IPv6 /48) before this packet.
    if (host.network.waiting.length > 0) this.#sendQueued(host.network);
    if (roomAt(host) > now) return false;
    this.#record(host, now);
    return true;
  }

  /**
   * Queues a packet until the rate limits allow it. Then calls `go(true)`, and the caller must send the packet. Calls
   * `go(false)` if the rate limits have not allowed the packet within 5 s.
   */
  queuePacket(host: Host, go: (hasRoom: boolean) => void): void {
    const { network } = host;
    const timer = this.#wheel.after(MOST_WAIT_MS, () => {
      network.waiting.splice(network.waiting.indexOf(packet), 1);
      go(false);
    });
    const packet: QueuedPacket = { host, go, timer };
    network.waiting.push(packet);
    this.#sendQueued(network);
  }

  /** Drops all queued packets to a network. */
  dropQueued(network: Network): void {
    network.timer?.cancel();
    for (const { timer, go } of network.waiting.splice(0)) {
      timer.cancel();
      go(false);
    }
  }

  #sendQueued(network: Network): void {
    network.timer?.cancel();
    network.timer = undefined;
    const now = this.#wheel.now();
    const going: QueuedPacket[] = [];
    let nextAt = Number.POSITIVE_INFINITY;
    network.waiting = network.waiting.filter(packet => {
      const at = roomAt(packet.host);
      if (at > now) {
        nextAt = Math.min(nextAt, at);
        return true;
      }
      this.#record(packet.host, now);
      going.push(packet);
      return false;
    });
    if (network.waiting.length > 0)
      network.timer = this.#wheel.after(nextAt - now, () => this.#sendQueued(network));
    for (const { timer, go } of going) {
      timer.cancel();
      go(true);
    }
  }

  #record(host: Host, now: number): void {
    this.packets++;
    for (let limit: RateLimited | undefined = host.first; limit; limit = limit.above)
      limit.window.record(now);
  }
}

/** Returns the earliest time at which all rate limits allow a packet to this host, ms. */
function roomAt(host: Host): number {
  let at = Number.NEGATIVE_INFINITY;
  for (let limit: RateLimited | undefined = host.first; limit; limit = limit.above) {
    const nextAt = limit.window.nextAt();
    if (nextAt > at) at = nextAt;
  }
  return at;
}
