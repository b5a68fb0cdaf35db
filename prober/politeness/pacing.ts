import type { TimerWheel } from '../timing/timer-wheel.ts';
import type { Host, Network, QueuedPacket, RateLimited } from './host.ts';

/** A packet that found no room for this long is given up. */
const MOST_WAIT_MS = 5000;

/** Lets packets go when all limits they count against have room, those of one network in the order they came. */
export class Pacing {
  /** Packets let go. */
  packets = 0;
  readonly #wheel: TimerWheel;

  constructor(wheel: TimerWheel) {
    this.#wheel = wheel;
  }

  now(): number {
    return this.#wheel.now();
  }

  /** Whether a packet to this host may go now; then it has to. */
  reservePacket(host: Host, now: number): boolean {
    // What came before goes before.
    if (host.network.waiting.length > 0) this.#sendQueued(host.network);
    if (roomAt(host) > now) return false;
    this.#record(host, now);
    return true;
  }

  /** Calls once a packet to this host may go, and then has to; with false when there is no room for too long. */
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

  /** Gives up what waits in a network. */
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

/** From when on a packet to this host may go, ms. */
function roomAt(host: Host): number {
  let at = Number.NEGATIVE_INFINITY;
  for (let limit: RateLimited | undefined = host.first; limit; limit = limit.above) {
    const nextAt = limit.window.nextAt();
    if (nextAt > at) at = nextAt;
  }
  return at;
}
