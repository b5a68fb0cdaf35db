import { shareLost } from './evidence.ts';
import { LossTable } from './loss-table.ts';
import type { NetworkKeys } from './network-keys.ts';
import type { Uplink } from './uplink.ts';

const MOST_HOSTS = 2 ** 20;
const MOST_NETWORKS = 2 ** 18;
/**
 * Reply timeout of a probe, ms: `roundTrips` times the round-trip time of the host, plus `added`. It is at least
 * `least` and at most `most`.
 */
const TIMEOUT = { roundTrips: 4, added: 300, least: 750, most: 2_000 };
/** Longest reply timeout, ms. It is used for a host whose round-trip time is not known. */
export const MOST_TIMEOUT_MS = TIMEOUT.most;
/**
 * Minimum and maximum of the time without replies after which a server counts as offline, ms. A map change alone
 * silences a server for up to 45 s.
 */
const LEAST_SILENCE_MS = 55_000;
const MOST_SILENCE_MS = 120_000;

/** Packet loss of a host, and the number of packets from which it was measured. */
export interface HostLoss {
  share: number;
  packets: number;
}

/**
 * Measured packet loss, round-trip times and silent periods of hosts and networks. The number of entries is bounded.
 */
export class PathLoss {
  readonly #hosts = new LossTable(MOST_HOSTS);
  readonly #networks = new LossTable(MOST_NETWORKS);

  /** Number of hosts whose packet loss is measured. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /**
   * Counts the packets that were sent to a host, and the lost packets among them. `ping`: round-trip time, ms; 0 if it
   * was not measured.
   */
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

  /**
   * Stores the round-trip time (ms) of a server under its host name, where `timeoutMs` looks for it. Call this method
   * for servers with a host name, because `count` stores the round-trip time only under the probed IP address.
   */
  noteRoundTrip(host: number, ping: number, now: number): void {
    const entry = this.#hosts.enter(host, now);
    if (entry >= 0 && ping > 0) this.#hosts.noteRoundTrip(entry, ping);
  }

  /**
   * Estimates the packet loss of a host from the counted packets. If few packets to the host were counted, the result
   * is close to the loss of the host's network. If few packets to this network were counted too, the result is close to
   * the loss of the prober's own network connection.
   */
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

  /**
   * Returns the time since the last answer of a host, ms; infinity if the host has no entry. The result can be too
   * small, because an unanswered probe counts as an answer here if its server is not offline yet.
   */
  quietMs(host: number, now: number): number {
    const entry = this.#hosts.find(host);
    return entry < 0 ? Number.POSITIVE_INFINITY : this.#hosts.unusedMs(entry, now);
  }

  /** Returns the reply timeout for probes of a host, ms; 0 if the round-trip time of the host is not known. */
  timeoutMs(host: number): number {
    const entry = this.#hosts.find(host);
    const roundTrip = entry < 0 ? 0 : this.#hosts.roundTrip(entry);
    if (roundTrip === 0) return 0;
    const { roundTrips, added, least, most } = TIMEOUT;
    return Math.round(Math.min(Math.max(roundTrips * roundTrip + added, least), most));
  }

  /**
   * Records how long a host was silent before it answered again, ms. Ignores a period longer than MOST_SILENCE_MS. Such
   * a long period means that the host was down, not that packets were lost.
   */
  noteSilence(host: number, silentMs: number): void {
    const entry = this.#hosts.find(host);
    if (entry >= 0 && silentMs > 0 && silentMs <= MOST_SILENCE_MS) this.#hosts.noteSilence(entry, silentMs);
  }

  /** Returns the minimum time without replies after which a server of this host counts as offline, ms. */
  leastSilenceMs(host: number): number {
    const entry = this.#hosts.find(host);
    const recovered = entry < 0 ? 0 : this.#hosts.silence(entry);
    return Math.min(Math.max(2 * recovered, LEAST_SILENCE_MS), MOST_SILENCE_MS);
  }
}
