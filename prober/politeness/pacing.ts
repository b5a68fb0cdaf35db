import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { Host, Network, QueuedPacket, RateLimited } from './host.ts';

/** A packet that finds no room for this long is given up, ms. */
const MOST_WAIT_MS = 5000;

/**
 * Sends packets when every rate limit they count against has room. Packets to one network leave in the order
 * they came.
 */
export class Pacing {
  /** Number of packets allowed so far. */
  packets = 0;
  readonly #wheel: TimerWheel;

  constructor(wheel: TimerWheel) {
    this.#wheel = wheel;
  }

  now(): number {
    return this.#wheel.now();
  }

  /**
   * Returns whether a packet to this host may be sent now, and counts it as sent: the caller must send it.
   */
  reservePacket(host: Host, now: number): boolean {
    // Queued packets to the same network go first.
    if (host.network.waiting.length > 0) this.#sendQueued(host.network);
    if (roomAt(host) > now) return false;
    this.#record(host, now);
    return true;
  }

  /**
   * Calls `go(true)` once a packet to this host may be sent, and the caller must then send it. Calls
   * `go(false)` after 5 s without room.
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

  /** Gives up all packets that wait in a network. */
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

/** The time from which a packet to this host may be sent, ms. */
function roomAt(host: Host): number {
  let at = Number.NEGATIVE_INFINITY;
  for (let limit: RateLimited | undefined = host.first; limit; limit = limit.above) {
    const nextAt = limit.window.nextAt();
    if (nextAt > at) at = nextAt;
  }
  return at;
}
