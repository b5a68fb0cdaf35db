/** Networks are counted by hash: of a large fleet several share a slot. */
const SLOTS = 256;
/** A network has one vote in so long, so that a large one weighs no more than a small one. */
const VOTE_MS = 1_000;
/** Weight of a vote in the share of now, and in the usual one. */
const NOW = 1 / 64;
const USUAL = 1 / 4096;
/**
 * The share of now fades to the usual one with this time constant, ms: a few networks are too few to tell an outage by their
 * votes, and would take many minutes to vote that it is over. `MUTE_NETWORKS` tells it for them.
 */
const FADES_MS = 300_000;
/** The circuit opens when so much of what usually answers is silent, and closes below the other. Half is often others' fault. */
const OPENS = 3 / 4;
const CLOSES = 1 / 4;
/** An outage in which some still answer is believed to be theirs after so long. */
const MOST_PARTIAL_MS = 600_000;
/** If nothing at all answers for so long, none still do; the first answer then ends the outage, ms. */
const TOTAL_MS = 60_000;
/** So long without any answer, so many networks having been asked, it is us however few are asked. */
const MUTE_MS = 5_000;
const MUTE_NETWORKS = 5;
/** ... and so many looks that chance, at the usual share of silence, hardly ever brings them together. */
const MUTE_CHANCE = 1e-5;
const LEAST_USUAL = 0.01;
/** What is taken for usual before anything is known, and how many votes that weighs. */
const FIRST_USUAL = 0.05;
const FIRST_VOTES = 16;
/** NetworkKeys more than this is silent as a rule, shares are too close to tell an outage by. */
const MOST_USUAL = 1 / 2;

/**
 * A circuit breaker for silence: tells from first looks, those at servers that answered last time, whether the prober's own
 * line is out. While the circuit is open, silence says nothing about servers.
 */
export class OutageDetector {
  readonly #votedAt = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  #share = 0;
  /** When the last vote was counted, ms. */
  #countedAt = 0;
  #usual = FIRST_USUAL;
  /** Votes that made the usual share. */
  #votes = FIRST_VOTES;
  #openedAt: number | undefined;
  #mute = false;
  /** Networks that were silent since anything answered: as many as it takes. */
  readonly #silent = new Set<number>();
  /** Looks that were silent since then. */
  #silentLooks = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** When silence began to count again, ms. */
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

  /** Notes that a network answered anything. */
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

  /** Notes any look that nothing answered, at a server that is held to be online, or at any before anything ever answered. */
  missed(network: number, now: number): void {
    this.#silentLooks++;
    if (this.#silent.size < MUTE_NETWORKS) this.#silent.add(network);
    this.#mute ||=
      this.#silent.size === MUTE_NETWORKS && now - this.#heardAt >= MUTE_MS && !this.#mayBeChance();
  }

  /** Notes a first look at a server in a network. */
  firstLook(network: number, answered: boolean, now: number): void {
    if (!answered) this.missed(network, now);
    // Fibonacci hashing: the third octet alone is 0 in many a fleet.
    const slot = Math.imul(network, 0x9e3779b1) >>> 24;
    const sinceVote = now - (this.#votedAt[slot] ?? 0);
    if (sinceVote >= 0 && sinceVote < VOTE_MS) return;
    this.#votedAt[slot] = now;
    const vote = answered ? 0 : 1;
    const left = Math.exp(-Math.max(0, now - this.#countedAt) / FADES_MS);
    this.#countedAt = now;
    this.#share = this.#usual + (this.#share - this.#usual) * left;
    this.#share += (vote - this.#share) * NOW;
    // What is usual is not learnt from an outage, nor while one may be.
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
      // The share of now is what is usual.
      this.#usual = this.#share;
      this.#close(now);
    }
  }

  #close(now: number): void {
    this.#openedAt = undefined;
    this.#closedAt = now;
  }
}
