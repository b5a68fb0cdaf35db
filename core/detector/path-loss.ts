import { shareLost } from './evidence.ts';
import { LossTable } from './loss-table.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Uplink } from './uplink.ts';

const MOST_HOSTS = 2 ** 20;
const MOST_NETWORKS = 2 ** 18;
/** A reply is waited for so long, by the round trip of its host, ms. */
const TIMEOUT = { roundTrips: 4, added: 300, least: 750, most: 2_000 };
/** The longest timeout, ms: what is waited if no round trip is known. */
export const MOST_TIMEOUT_MS = TIMEOUT.most;
/**
 * A silence shorter than this convicts nobody, however many looks it holds, ms: losses come in bursts, and a server stands
 * still for 45 s while it changes maps, with lost packets before and after. It is twice the longest silence the host recovered from, between these.
 */
const LEAST_SILENCE_MS = 55_000;
const MOST_SILENCE_MS = 120_000;

/** The loss of a host, and how many of its packets it is known from. */
export interface HostLoss {
  share: number;
  packets: number;
}

/** What is known of the way to hosts and networks: loss, round trips, silences. */
export class PathLoss {
  readonly #hosts = new LossTable(MOST_HOSTS);
  readonly #networks = new LossTable(MOST_NETWORKS);

  /** Hosts whose loss is known. */
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

  /** Notes the round trip of a host under another key of it, ms. */
  noteRoundTrip(host: number, ping: number, now: number): void {
    const entry = this.#hosts.enter(host, now);
    if (entry >= 0 && ping > 0) this.#hosts.noteRoundTrip(entry, ping);
  }

  /** The loss of a host: what was measured, on top of that of its network, on top of that of the uplink. */
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

  /** How long a reply of a host is worth waiting for, ms; 0 if its round trip is not known. */
  timeoutMs(host: number): number {
    const entry = this.#hosts.find(host);
    const roundTrip = entry < 0 ? 0 : this.#hosts.roundTrip(entry);
    if (roundTrip === 0) return 0;
    const { roundTrips, added, least, most } = TIMEOUT;
    return Math.round(Math.min(Math.max(roundTrips * roundTrip + added, least), most));
  }

  /** Notes that a host recovered from a silence, ms. Who was away for longer was down, which says nothing about the way to it. */
  noteSilence(host: number, silentMs: number): void {
    const entry = this.#hosts.find(host);
    if (entry >= 0 && silentMs > 0 && silentMs <= MOST_SILENCE_MS) this.#hosts.noteSilence(entry, silentMs);
  }

  /** The silence that convicts nobody at a host, ms. */
  leastSilenceMs(host: number): number {
    const entry = this.#hosts.find(host);
    const recovered = entry < 0 ? 0 : this.#hosts.silence(entry);
    return Math.min(Math.max(2 * recovered, LEAST_SILENCE_MS), MOST_SILENCE_MS);
  }
}
