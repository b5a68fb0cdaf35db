import { LastNetworks } from './last-networks.ts';
import { LOSS_FADES_MS } from './loss-table.ts';
import type { NetworkKeys } from './network-keys.ts';
import { OutageDetector } from './outage-detector.ts';

/** Least loss that is assumed of an uplink. */
const LEAST_LOSS = 0.01;
/** Packets of `LEAST_LOSS` that the measured loss starts with. */
const PRIOR_PACKETS = 16;
/** Length of a time slot, ms; the slots remember which networks answered in the last minute. */
const SLOT_MS = 250;
const SLOTS = 256;
/** A network that nothing was heard or missed of for this long is not expected to answer, ms. */
const EXPECTED_MS = 3_600_000;
const GOOD_MS = 60_000;
const NOBODY = 0;
const ONE = 1;
const SEVERAL = 2;

/** What is known of one network path of a prober, to the internet or to its local networks: loss, outages, who answers. */
export class Uplink {
  readonly outage = new OutageDetector();
  /** When the prober joined, ms. */
  readonly #since: number;
  #sent = 0;
  #lost = 0;
  #fadedAt = 0;
  /** For each slot: its slot number, how many networks answered in it, and the first of them. */
  readonly #slots = new Float64Array(SLOTS).fill(-1);
  readonly #answered = new Uint8Array(SLOTS);
  readonly #network = new Int32Array(SLOTS);
  readonly #heard = new LastNetworks();
  /** Networks of servers that were online and are silent. */
  readonly #missed = new LastNetworks();

  constructor(now: number) {
    this.#since = now;
  }

  /** Whether anything has ever answered over this uplink. */
  get hasHeard(): boolean {
    return this.outage.hasHeard;
  }

  /** Since when silence has counted without a break, ms: since the prober joined, or since the last outage. */
  get listeningSince(): number {
    return Math.max(this.#since, this.outage.closedAt);
  }

  /** Share of packets lost, measured at servers that answer. */
  get loss(): number {
    return Math.max(LEAST_LOSS, (this.#lost + PRIOR_PACKETS * LEAST_LOSS) / (this.#sent + PRIOR_PACKETS));
  }

  /** Counts packets to a server that answers. */
  count(sent: number, lost: number, now: number): void {
    const left = Math.exp(-Math.max(0, now - this.#fadedAt) / LOSS_FADES_MS);
    this.#fadedAt = now;
    this.#sent = this.#sent * left + sent;
    this.#lost = this.#lost * left + lost;
  }

  /** Notes that a server of a network answered. `key`: its `serverKey`. */
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

  /** Notes that a server of a network is silent though it was online. */
  missed(network: number, now: number): void {
    this.#missed.note(network, '', now);
  }

  /** Whether another network is expected to answer; if none does, the uplink may be out. */
  expectsOthers(network: number, now: number): boolean {
    const since = now - EXPECTED_MS;
    return this.#heard.otherAt(network) > since || this.#missed.otherAt(network) > since;
  }

  /** Whether another network answered within the last minute, or none is expected to. */
  isGoodFor(network: number, now: number): boolean {
    return now - this.#heard.otherAt(network) < GOOD_MS || !this.expectsOthers(network, now);
  }

  /** Key of the server of another network that answered last; empty if none did. */
  witness(network: number): string {
    return this.#heard.otherKey(network);
  }

  /** Whether another network answered between two times, ms, at most a minute ago. */
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

/** The two uplinks of a prober: to the internet, and to its local networks, which answer even if the internet does not. */
export class Uplinks {
  readonly #internet: Uplink;
  readonly #local: Uplink;

  /** `now`: when the prober joined, ms. */
  constructor(now: number) {
    this.#internet = new Uplink(now);
    this.#local = new Uplink(now);
  }

  /** The uplink that leads to a network. */
  uplinkTo({ isLocal }: Pick<NetworkKeys, 'isLocal'>): Uplink {
    return isLocal ? this.#local : this.#internet;
  }

  /** Whether an uplink seems to be out. */
  get isAnyOut(): boolean {
    return this.#internet.outage.isOpen || this.#local.outage.isOpen;
  }
}
