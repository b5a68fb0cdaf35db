import { LastNetworks } from './last-networks.ts';
import { LOSS_FADES_MS } from './loss-table.ts';
import type { NetworkKeys } from './network-keys.ts';
import { OutageDetector } from './outage-detector.ts';

/** Minimum packet loss that is assumed for an uplink (network connection of a prober). A share from 0 to 1. */
const LEAST_LOSS = 0.01;
/**
 * Number of packets that were never sent, but are included in the estimated packet loss of an uplink. The share
 * LEAST_LOSS of them counts as lost. So the first real packets change the estimate only a little.
 */
const PRIOR_PACKETS = 16;
/**
 * Length of a time slot, ms. For each time slot, an uplink records which networks answered. It remembers the slots of
 * about the last minute.
 */
const SLOT_MS = 250;
const SLOTS = 256;
/**
 * Time for which gsq expects further answers from a network after a server there has answered, ms. The time begins anew
 * when a server with the status online does not answer a probe.
 */
const EXPECTED_MS = 3_600_000;
const GOOD_MS = 60_000;
const NOBODY = 0;
const ONE = 1;
const SEVERAL = 2;

/**
 * State of one network connection (uplink) of a prober, for example to the IPv4 internet: packet loss, outages, and the
 * networks that answered recently.
 */
export class Uplink {
  readonly outage = new OutageDetector();
  /** Time when the prober of this uplink (network connection) joined the core, ms. */
  readonly #since: number;
  #sent = 0;
  #lost = 0;
  #fadedAt = 0;
  /**
   * Ring buffer with the numbers of the recorded time slots. Time slots are numbered from the Unix epoch. An unused
   * element is -1.
   */
  readonly #slots = new Float64Array(SLOTS).fill(-1);
  /** How many networks answered in each time slot: NOBODY, ONE or SEVERAL. SEVERAL means two or more networks. */
  readonly #answered = new Uint8Array(SLOTS);
  /** For each time slot: the network from which the first answer came. */
  readonly #network = new Int32Array(SLOTS);
  readonly #heard = new LastNetworks();
  /**
   * The newest probes that a server with the status online did not answer: the network of the server, and the time of
   * the probe.
   */
  readonly #missed = new LastNetworks();

  constructor(now: number) {
    this.#since = now;
  }

  /** True if any server has ever answered over this uplink. */
  get hasHeard(): boolean {
    return this.outage.hasHeard;
  }

  /**
   * Time since which answers can reach the prober without interruption, ms. It is the later of two times: when the
   * prober joined the core, and when the last outage of this uplink (network connection) ended. The silence of a server
   * before this time proves nothing about the server.
   */
  get listeningSince(): number {
    return Math.max(this.#since, this.outage.closedAt);
  }

  /** Share of the packets that were lost on this uplink, measured with servers that answer. */
  get loss(): number {
    return Math.max(LEAST_LOSS, (this.#lost + PRIOR_PACKETS * LEAST_LOSS) / (this.#sent + PRIOR_PACKETS));
  }

  /** Counts the packets that were sent to an answering server, and the lost packets among them. */
  count(sent: number, lost: number, now: number): void {
    const left = Math.exp(-Math.max(0, now - this.#fadedAt) / LOSS_FADES_MS);
    this.#fadedAt = now;
    this.#sent = this.#sent * left + sent;
    this.#lost = this.#lost * left + lost;
  }

  /** Records an answer of a server. `network`: network of the server. `key`: the `serverKey` of the server. */
  heard(network: number, key: string, now: number): void {
    this.outage.heard(now);
    this.#heard.note(network, key, now);
    const time = Math.floor(now / SLOT_MS);
    const slot = time % SLOTS;
    if (this.#slots[slot] !== time) {
      this.#slots[slot] = time;
      this.#answered[slot] = ONE;
      this.#network[slot] = network;
    } else if (this.#network[slot] !== network) this.#answered[slot] = SEVERAL;
  }

  /** Records that a server with the status online did not answer a probe. `network`: network of the server. */
  missed(network: number, now: number): void {
    this.#missed.note(network, '', now);
  }

  /**
   * True if answers from a network other than `network` are expected, because a server there was online within the last
   * hour. If no such answer comes, the prober's own network connection may be down.
   */
  expectsOthers(network: number, now: number): boolean {
    const since = now - EXPECTED_MS;
    return this.#heard.otherAt(network) > since || this.#missed.otherAt(network) > since;
  }

  /**
   * True if this uplink seems to work, because a server in a network other than `network` has answered within the last
   * minute. Also true if no answer from another network is expected.
   */
  isGoodFor(network: number, now: number): boolean {
    return now - this.#heard.otherAt(network) < GOOD_MS || !this.expectsOthers(network, now);
  }

  /**
   * Returns the key of a server that can show whether this uplink works. It is the server that last answered from a
   * network other than `network`. Empty if there is none.
   */
  witness(network: number): string {
    return this.#heard.otherKey(network);
  }

  /**
   * True if a server in a network other than `network` answered between the times `from` and `to` (milliseconds). The
   * method knows only the answers of about the last minute.
   */
  heardOthers(network: number, from: number, to: number): boolean {
    const last = Math.floor(to / SLOT_MS);
    for (let time = Math.max(Math.floor(from / SLOT_MS), last - SLOTS + 1); time <= last; time++) {
      const slot = time % SLOTS;
      if (this.#slots[slot] !== time || this.#answered[slot] === NOBODY) continue;
      if (this.#answered[slot] === SEVERAL || this.#network[slot] !== network) return true;
    }
    return false;
  }
}

/**
 * The three uplinks of a prober: to the IPv4 internet, to the IPv6 internet, and to its local networks. Each can fail
 * alone, so an answer over one uplink does not show that another one works.
 */
export class Uplinks {
  readonly #v4: Uplink;
  readonly #v6: Uplink;
  readonly #local: Uplink;

  /** `now`: time when the prober joined the core, ms. */
  constructor(now: number) {
    this.#v4 = new Uplink(now);
    this.#v6 = new Uplink(now);
    this.#local = new Uplink(now);
  }

  /** Returns the uplink (network connection of the prober) to a server: local, IPv6 or IPv4. */
  uplinkTo({ isLocal, isV6 }: Pick<NetworkKeys, 'isLocal' | 'isV6'>): Uplink {
    if (isLocal) return this.#local;
    return isV6 ? this.#v6 : this.#v4;
  }

  /** True if at least one of the three uplinks (network connections) of the prober seems to be down. */
  get isAnyOut(): boolean {
    return this.#v4.outage.isOpen || this.#v6.outage.isOpen || this.#local.outage.isOpen;
  }
}
