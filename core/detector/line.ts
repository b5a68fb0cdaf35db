import { LOSS_FADES_MS } from './loss-table.ts';
import { OutageDetector } from './outage-detector.ts';
import type { Where } from './where.ts';

/** Loss is never taken to be less. */
const LEAST_LOSS = 0.01;
/** How many packets of `LEAST_LOSS` are taken as seen before any are. */
const PRIOR_PACKETS = 16;
/** Who answered when is kept in slots of this length, ms, for the last minute. */
const SLOT_MS = 250;
const SLOTS = 256;
/** A network that nothing was seen of for so long is expected to answer no more, ms. */
const EXPECTED_MS = 3_600_000;
const GOOD_MS = 60_000;
const NOBODY = 0;
const ONE = 1;
const SEVERAL = 2;

/** The last two networks that something was seen of, so that there is always one other than a given one. */
class LastNetworks {
  #network = 0;
  #at = Number.NEGATIVE_INFINITY;
  #key = '';
  #otherAt = Number.NEGATIVE_INFINITY;
  #otherKey = '';

  note(network: number, key: string, now: number): void {
    if (network !== this.#network) {
      this.#otherAt = this.#at;
      this.#otherKey = this.#key;
      this.#network = network;
    }
    this.#at = now;
    this.#key = key;
  }

  otherAt(network: number): number {
    return network === this.#network ? this.#otherAt : this.#at;
  }

  otherKey(network: number): string {
    return network === this.#network ? this.#otherKey : this.#key;
  }
}

/** What is known of one prober's own line to the internet. */
export class Line {
  readonly outage = new OutageDetector();
  /** When the prober joined, ms. */
  readonly #since: number;
  #sent = 0;
  #lost = 0;
  #fadedAt = 0;
  /** Of each slot: when it was written, how many networks answered in it, and the first of them. */
  readonly #slots = new Float64Array(SLOTS).fill(-1);
  readonly #answered = new Uint8Array(SLOTS);
  readonly #network = new Int32Array(SLOTS);
  readonly #heard = new LastNetworks();
  /** Those of servers that were online and are silent. */
  readonly #missed = new LastNetworks();

  constructor(now: number) {
    this.#since = now;
  }

  /** Whether anything has ever answered by this line. */
  get hasHeard(): boolean {
    return this.outage.hasHeard;
  }

  /** Since when silence on this line has counted without a break, ms. */
  get listeningSince(): number {
    return Math.max(this.#since, this.outage.closedAt);
  }

  /** The share of packets lost on this line or beyond it everywhere, from servers that answer. */
  get loss(): number {
    return Math.max(LEAST_LOSS, (this.#lost + PRIOR_PACKETS * LEAST_LOSS) / (this.#sent + PRIOR_PACKETS));
  }

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

  /** Notes that a server of a network, which was online, is silent: it is one that ought to be heard. */
  missed(network: number, now: number): void {
    this.#missed.note(network, '', now);
  }

  /** Whether another network than this one ought to answer: if none does, the line may be out. */
  expectsOthers(network: number, now: number): boolean {
    const since = now - EXPECTED_MS;
    return this.#heard.otherAt(network) > since || this.#missed.otherAt(network) > since;
  }

  /** Whether another network than this one answered within the last minute, or none ought to. */
  isGoodFor(network: number, now: number): boolean {
    return now - this.#heard.otherAt(network) < GOOD_MS || !this.expectsOthers(network, now);
  }

  /** A server of another network that answered last, by its key; empty if none did. */
  witness(network: number): string {
    return this.#heard.otherKey(network);
  }

  /** Whether another network than this one answered between two times, ms, at most a minute ago. */
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

/** A prober's lines: to the internet, and to networks of its own, which answer though the internet is out of reach. */
export class Lines {
  readonly #internet: Line;
  readonly #local: Line;

  /** `now`: when the prober joined, ms. */
  constructor(now: number) {
    this.#internet = new Line(now);
    this.#local = new Line(now);
  }

  to({ isLocal }: Pick<Where, 'isLocal'>): Line {
    return isLocal ? this.#local : this.#internet;
  }

  /** Whether one of them seems to be out. */
  get areOut(): boolean {
    return this.#internet.outage.isOpen || this.#local.outage.isOpen;
  }
}
