/** Slots for networks, by hash; networks of a large fleet share slots. */
const SLOTS = 256;
/** Each network has one vote in this time, ms, so that a large one weighs no more than a small one. */
const VOTE_MS = 1_000;
/** Weight of a vote in the current share of silence, and in the usual share. */
const NOW = 1 / 64;
const USUAL = 1 / 4096;
/**
 * Time constant with which the current share decays to the usual one, ms. A few networks cannot show an outage by votes, and
 * would take many minutes to vote that it is over; for them `MUTE_NETWORKS` decides.
 */
const FADES_MS = 300_000;
/** The circuit opens and closes at these shares of usually answering networks that are silent. One half is often a fault elsewhere. */
const OPENS = 3 / 4;
const CLOSES = 1 / 4;
/** After this time, ms, an outage in which some networks answer is taken for a fault elsewhere, and the circuit closes. */
const MOST_PARTIAL_MS = 600_000;
/** If nothing answers for this long, the outage is total, and the first answer ends it, ms. */
const TOTAL_MS = 60_000;
/** The circuit also opens if nothing answered for this long, ms, while this many networks were silent ... */
const MUTE_MS = 5_000;
const MUTE_NETWORKS = 5;
/** ... and the probability of so many silent looks by chance, at the usual share of silence, is below this. */
const MUTE_CHANCE = 1e-5;
const LEAST_USUAL = 0.01;
/** The usual share that a new detector starts with, and its weight in votes. */
const FIRST_USUAL = 0.05;
const FIRST_VOTES = 16;
/** If the usual share of silence is larger, shares cannot show an outage. */
const MOST_USUAL = 1 / 2;

/**
 * A circuit breaker for silence: finds out whether the prober's own uplink is out, from first looks (probes of servers that
 * answered last time). While the circuit is open, silence says nothing about servers.
 */
export class OutageDetector {
  readonly #votedAt = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  #share = 0;
  /** When the last vote was counted, ms. */
  #countedAt = 0;
  #usual = FIRST_USUAL;
  /** Number of votes in the usual share. */
  #votes = FIRST_VOTES;
  #openedAt: number | undefined;
  #mute = false;
  /** Silent networks since the last answer, MUTE_NETWORKS at most. */
  readonly #silent = new Set<number>();
  /** Silent looks since the last answer. */
  #silentLooks = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** When the circuit last closed, ms. */
  #closedAt = Number.NEGATIVE_INFINITY;

  get isOpen(): boolean {
    return this.#mute || this.#openedAt !== undefined;
  }

  /** Whether anything has ever answered. */
  get hasHeard(): boolean {
    return this.#heardAt !== Number.NEGATIVE_INFINITY;
  }

  /** When the circuit last closed, ms; minus infinity if it never was open. */
  get closedAt(): number {
    return this.#closedAt;
  }

  /** Notes an answer from any network. */
  heard(now: number): void {
    const wasOpen = this.isOpen;
    if (now - this.#heardAt >= TOTAL_MS) {
      this.#share = this.#usual;
      this.#openedAt = undefined;
    }
    this.#heardAt = now;
    this.#silentLooks = 0;
    if (this.#silent.size > 0) this.#silent.clear();
    this.#mute = false;
    if (wasOpen && !this.isOpen) this.#closedAt = now;
  }

  /** Notes a silent look: at a server with status online, or at any server before the first answer. */
  missed(network: number, now: number): void {
    this.#silentLooks++;
    if (this.#silent.size < MUTE_NETWORKS) this.#silent.add(network);
    this.#mute ||=
      this.#silent.size === MUTE_NETWORKS && now - this.#heardAt >= MUTE_MS && !this.#mayBeChance();
  }

  /** Notes a first look at a server of a network, which is a vote if the network has not voted lately. */
  firstLook(network: number, answered: boolean, now: number): void {
    if (!answered) this.missed(network, now);
    // Fibonacci hashing, since many fleets differ only in some octets.
    const slot = Math.imul(network, 0x9e3779b1) >>> 24;
    const sinceVote = now - (this.#votedAt[slot] ?? 0);
    if (sinceVote >= 0 && sinceVote < VOTE_MS) return;
    this.#votedAt[slot] = now;
    const vote = answered ? 0 : 1;
    const left = Math.exp(-Math.max(0, now - this.#countedAt) / FADES_MS);
    this.#countedAt = now;
    this.#share = this.#usual + (this.#share - this.#usual) * left;
    this.#share += (vote - this.#share) * NOW;
    // An outage, or what may become one, must not change the usual share.
    if (this.#openedAt === undefined && now - this.#heardAt < MUTE_MS)
      this.#usual += (vote - this.#usual) * Math.max(USUAL, 1 / ++this.#votes);
    this.#judge(now);
  }

  #mayBeChance(): boolean {
    return Math.max(this.#usual, LEAST_USUAL) ** this.#silentLooks > MUTE_CHANCE;
  }

  #judge(now: number): void {
    const excess = (this.#share - this.#usual) / Math.max(1 - this.#usual, 0.01);
    if (this.#openedAt === undefined) {
      if (excess >= OPENS && this.#usual <= MOST_USUAL) this.#openedAt = now;
    } else if (excess < CLOSES) {
      this.#close(now);
    } else if (now - this.#openedAt >= MOST_PARTIAL_MS && now - this.#heardAt < TOTAL_MS) {
      // The current share becomes the usual one.
      this.#usual = this.#share;
      this.#close(now);
    }
  }

  #close(now: number): void {
    this.#openedAt = undefined;
    this.#closedAt = now;
  }
}
