import { shareLost } from './evidence.ts';
import { LossTable } from './loss-table.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Uplink } from './uplink.ts';

const MOST_HOSTS = 2 ** 20;
const MOST_NETWORKS = 2 ** 18;
/** Timeout of a probe: `roundTrips` times the host's round trip plus `added`, within bounds, ms. */
const TIMEOUT = { roundTrips: 4, added: 300, least: 750, most: 2_000 };
/** The longest timeout, ms; used if no round trip is known. */
export const MOST_TIMEOUT_MS = TIMEOUT.most;
/**
 * Bounds of the least silence for a verdict, ms; between them it is twice the longest silence that the host recovered from.
 * Losses come in bursts, and a server may stand still for 45 s while it changes maps, with lost packets before and after.
 */
const LEAST_SILENCE_MS = 55_000;
const MOST_SILENCE_MS = 120_000;

/** Loss of a host, and the number of packets it was measured with. */
export interface HostLoss {
  share: number;
  packets: number;
}

/** Measured loss, round trips and silences on the paths to hosts and networks. Bounded. */
export class PathLoss {
  readonly #hosts = new LossTable(MOST_HOSTS);
  readonly #networks = new LossTable(MOST_NETWORKS);

  /** Number of hosts whose loss is known. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** Counts packets to a host. `ping`: round trip, ms; 0 if it was not measured. */
  count(
    uplink: Uplink,
    { host, network }: NetworkKeys,
    sent: number,
    lost: number,
    ping: number,
    now: number,
  ): void {
    uplink.count(sent, lost, now);
    const hostEntry = this.#hosts.enter(host, now);
    if (hostEntry >= 0) {
      this.#hosts.count(hostEntry, sent, lost);
      if (ping > 0) this.#hosts.noteRoundTrip(hostEntry, ping);
    }
    const networkEntry = this.#networks.enter(network, now);
    if (networkEntry >= 0) this.#networks.count(networkEntry, sent, lost);
  }

  /** Notes a round trip for a second key of a host, such as that of its name, ms. */
  noteRoundTrip(host: number, ping: number, now: number): void {
    const entry = this.#hosts.enter(host, now);
    if (entry >= 0 && ping > 0) this.#hosts.noteRoundTrip(entry, ping);
  }

  /** Loss of a host. The prior of its measured loss is that of its network, whose prior is that of the uplink. */
  lossOf(uplink: Uplink, keys: NetworkKeys, now: number): HostLoss {
    const uplinkLoss = uplink.loss;
    const network = this.#networks.enter(keys.network, now);
    const networkLoss =
      network < 0
        ? uplinkLoss
        : shareLost(this.#networks.sent(network), this.#networks.lost(network), uplinkLoss);
    const host = this.#hosts.enter(keys.host, now);
    if (host < 0) return { share: networkLoss, packets: 0 };
    const packets = this.#hosts.sent(host);
    return { share: shareLost(packets, this.#hosts.lost(host), networkLoss), packets };
  }

  /** Timeout of a probe of a host, ms; 0 if its round trip is not known. */
  timeoutMs(host: number): number {
    const entry = this.#hosts.find(host);
    const roundTrip = entry < 0 ? 0 : this.#hosts.roundTrip(entry);
    if (roundTrip === 0) return 0;
    const { roundTrips, added, least, most } = TIMEOUT;
    return Math.round(Math.min(Math.max(roundTrips * roundTrip + added, least), most));
  }

  /** Notes a silence that a host recovered from, ms. Longer ones are ignored: the host was down, which is no loss. */
  noteSilence(host: number, silentMs: number): void {
    const entry = this.#hosts.find(host);
    if (entry >= 0 && silentMs > 0 && silentMs <= MOST_SILENCE_MS) this.#hosts.noteSilence(entry, silentMs);
  }

  /** The least silence for a verdict on servers of a host, ms. */
  leastSilenceMs(host: number): number {
    const entry = this.#hosts.find(host);
    const recovered = entry < 0 ? 0 : this.#hosts.silence(entry);
    return Math.min(Math.max(2 * recovered, LEAST_SILENCE_MS), MOST_SILENCE_MS);
  }
}
