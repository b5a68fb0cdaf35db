/**
 * Number of slots in the table of votes. (A vote is a probe result that counts for its network.) A hash assigns each
 * network to a slot, so in a large fleet several networks share one slot.
 */
const SLOTS = 256;
/**
 * Length of the period in which only one probe result of a network counts, ms. Therefore a large network has no more
 * weight than a small one.
 */
const VOTE_MS = 1_000;
/**
 * Weight of the newest probe result in two moving averages: the current share of unanswered probes (NOW) and the usual
 * share (USUAL).
 */
const NOW = 1 / 64;
const USUAL = 1 / 4096;
/**
 * Time constant of the decay of the current share of unanswered probes towards the usual share, ms. In a fleet with
 * only a few networks, the current share cannot open the circuit, and without the decay it would need many minutes to
 * close it. For such a fleet, the rule with MUTE_NETWORKS decides instead.
 */
const FADES_MS = 300_000;
/**
 * Share of silent networks among the networks that usually answer. The circuit opens at the share OPENS and closes
 * below the share CLOSES. OPENS is above one half, because a remote fault often silences half of the networks.
 */
const OPENS = 3 / 4;
const CLOSES = 1 / 4;
/**
 * Longest time for which a partial outage keeps the circuit open, ms. If some networks still answer after this time,
 * the detector assumes a remote fault and closes the circuit.
 */
const MOST_PARTIAL_MS = 600_000;
/**
 * If no network answers for this long (ms), the outage is total. The first answer after a total outage closes the
 * circuit.
 */
const TOTAL_MS = 60_000;
/**
 * The circuit also opens if no network has answered for MUTE_MS (in ms) and at least MUTE_NETWORKS networks left probes
 * unanswered since the last answer. It does not open if a coincidence is too probable (MUTE_CHANCE).
 */
const MUTE_MS = 5_000;
const MUTE_NETWORKS = 5;
/**
 * Maximum probability of a coincidence at which the circuit opens because no network answers. A coincidence means that
 * all probes since the last answer failed independently. Its probability is calculated from the usual share of
 * unanswered probes, which counts as at least LEAST_USUAL.
 */
const MUTE_CHANCE = 1e-5;
const LEAST_USUAL = 0.01;
/**
 * Initial value of the usual share of unanswered probes (FIRST_USUAL), and the number of probe results that this value
 * counts as (FIRST_VOTES).
 */
const FIRST_USUAL = 0.05;
const FIRST_VOTES = 16;
/**
 * The circuit opens because of the current share only if the usual share is at most this value. If a larger share of
 * probes is usually unanswered, the current share cannot show an outage.
 */
const MOST_USUAL = 1 / 2;

/**
 * Circuit breaker for missing replies: finds out whether the prober's own network connection (uplink) is down. It
 * counts first looks: a first look is a probe of a server that answered its previous probe. While the circuit is open,
 * a missing reply is no evidence about a server.
 */
export class OutageDetector {
  readonly #votedAt = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  #share = 0;
  /** Time when the current share of unanswered probes was last updated, ms. */
  #countedAt = 0;
  #usual = FIRST_USUAL;
  /** Number of probe results in the average that is the usual share. It starts at FIRST_VOTES. */
  #votes = FIRST_VOTES;
  #openedAt: number | undefined;
  #mute = false;
  /** Networks with unanswered probes since the last answer of any network; at most MUTE_NETWORKS. */
  readonly #silent = new Set<number>();
  /** Number of unanswered probes since the last answer of any network. */
  #silentLooks = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Time when the circuit last closed, ms. */
  #closedAt = Number.NEGATIVE_INFINITY;

  get isOpen(): boolean {
    return this.#mute || this.#openedAt !== undefined;
  }

  /** True if any server has ever answered. */
  get hasHeard(): boolean {
    return this.#heardAt !== Number.NEGATIVE_INFINITY;
  }

  /** Time when the circuit last closed, ms; minus infinity if it was never open. */
  get closedAt(): number {
    return this.#closedAt;
  }

  /** Records an answer from any network. */
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

  /**
   * Records an unanswered probe. Call this for servers with the status online. Until any server has answered over this
   * uplink, call it for all servers.
   */
  missed(network: number, now: number): void {
    this.#silentLooks++;
    if (this.#silent.size < MUTE_NETWORKS) this.#silent.add(network);
    this.#mute ||=
      this.#silent.size === MUTE_NETWORKS && now - this.#heardAt >= MUTE_MS && !this.#mayBeChance();
  }

  /**
   * Records a first look: the result of a probe of a server that answered its previous probe. The result counts in the
   * shares of unanswered probes. For each network, at most one result within VOTE_MS counts.
   */
  firstLook(network: number, answered: boolean, now: number): void {
    if (!answered) this.missed(network, now);
    // Fibonacci hashing spreads networks over the slots, even if the networks differ only in some octets.
    const slot = Math.imul(network, 0x9e3779b1) >>> 24;
    const sinceVote = now - (this.#votedAt[slot] ?? 0);
    if (sinceVote >= 0 && sinceVote < VOTE_MS) return;
    this.#votedAt[slot] = now;
    const vote = answered ? 0 : 1;
    const left = Math.exp(-Math.max(0, now - this.#countedAt) / FADES_MS);
    this.#countedAt = now;
    this.#share = this.#usual + (this.#share - this.#usual) * left;
    this.#share += (vote - this.#share) * NOW;
    // Updates the usual share only outside an outage, because unanswered probes of an outage must not count as usual.
    // If no network has answered for MUTE_MS, an outage has perhaps begun.
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
      // Some networks have answered during this long outage, so the fault is remote. From now on, the current share of
      // unanswered probes counts as the usual share.
      this.#usual = this.#share;
      this.#close(now);
    }
  }

  #close(now: number): void {
    this.#openedAt = undefined;
    this.#closedAt = now;
  }
}
