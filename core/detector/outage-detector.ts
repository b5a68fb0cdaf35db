/**
 * Number of slots in the hash table `#votedAt`. Each slot contains the time at which a probe result of a network was
 * last added to the moving averages. Several networks can share a slot.
 */
const SLOTS = 256;
/**
 * Minimum time between two probe results of one network that count in the moving averages, ms. Further results of the
 * network in this time are ignored, so that a large network does not count more than a small one.
 */
const VOTE_MS = 1_000;
/**
 * Weights of the newest probe result in two moving averages: the shares of unanswered probes. NOW: weight in the
 * short-term (current) share. USUAL: weight in the long-term (usual) share.
 */
const NOW = 1 / 64;
const USUAL = 1 / 4096;
/**
 * Time constant (ms) with which the current share of unanswered probes returns to the long-term share. After this time
 * without probe results, 37 % of the difference between both shares is left. Without this decay, a prober with few
 * servers, and so with few new results, would assume an outage long after its end.
 */
const FADES_MS = 300_000;
/**
 * Limits for the excess: how far the current share of unanswered probes is above the long-term share. The excess is 0
 * if the shares are equal, and 1 if no probe is answered. The circuit breaker opens at OPENS, and closes below CLOSES.
 * OPENS is above one half, because a remote fault often silences half of the networks.
 */
const OPENS = 3 / 4;
const CLOSES = 1 / 4;
/**
 * Maximum time for which the circuit breaker (of the prober's own network connection) stays open while some networks
 * still answer, ms. A fault that lasts longer is not in this connection.
 */
const MOST_PARTIAL_MS = 600_000;
/**
 * An outage counts as total if no server has answered for this time, ms. The first answer after a total outage closes
 * the circuit breaker immediately. From then on, missing replies count again as evidence about servers.
 */
const TOTAL_MS = 60_000;
/**
 * The circuit breaker opens if no server has answered for MUTE_MS (ms), at least MUTE_NETWORKS networks have unanswered
 * probes, and the silence is probably not a coincidence (MUTE_CHANCE). It also opens if the share of unanswered probes
 * is far above its long-term value (OPENS).
 */
const MUTE_MS = 5_000;
const MUTE_NETWORKS = 5;
/**
 * If no server answers, the silence can be a coincidence. The circuit breaker opens only if the probability of a
 * coincidence, s^n, is at most this value. s: long-term share of unanswered probes, at least LEAST_USUAL. n: number of
 * unanswered probes since the last answer.
 */
const MUTE_CHANCE = 1e-5;
const LEAST_USUAL = 0.01;
/**
 * FIRST_USUAL: assumed share of unanswered probes before the first probe. FIRST_VOTES: weight of this assumption in the
 * average, as a number of probe results.
 */
const FIRST_USUAL = 0.05;
const FIRST_VOTES = 16;
/**
 * A high current share of unanswered probes opens the circuit breaker only if the long-term share is at most this
 * value. Above this value, many unanswered probes are normal.
 */
const MOST_USUAL = 1 / 2;

/**
 * Circuit breaker for the prober's own network connection (uplink). It opens if so many servers suddenly do not answer
 * that the connection seems to be down. While the circuit breaker is open, a missing reply is no evidence about a
 * server.
 */
export class OutageDetector {
  readonly #votedAt = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  #share = 0;
  /** Time when the current share of unanswered probes was last updated, ms. */
  #countedAt = 0;
  #usual = FIRST_USUAL;
  /**
   * Number of probe results in the average `#usual` (the long-term share of unanswered probes). It starts at
   * FIRST_VOTES, because the assumed first value of `#usual` has the weight of this many results.
   */
  #votes = FIRST_VOTES;
  #openedAt: number | undefined;
  #mute = false;
  /**
   * Networks with an unanswered probe since the last answer of any server. At most MUTE_NETWORKS networks are stored,
   * because the circuit breaker needs no more.
   */
  readonly #silent = new Set<number>();
  /** Number of unanswered probes since the last answer of any server. */
  #silentLooks = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /**
   * Time when the circuit breaker last closed, ms. It closes when the prober's network connection seems to work again.
   */
  #closedAt = Number.NEGATIVE_INFINITY;

  get isOpen(): boolean {
    return this.#mute || this.#openedAt !== undefined;
  }

  /** True if any server has ever answered over this network connection of the prober. */
  get hasHeard(): boolean {
    return this.#heardAt !== Number.NEGATIVE_INFINITY;
  }

  /**
   * Time when the circuit breaker last closed, ms. It closes when the prober's network connection seems to work again.
   * Minus infinity if it has never closed, for example because it was never open.
   */
  get closedAt(): number {
    return this.#closedAt;
  }

  /**
   * Call this method when a server has answered. The network of the server does not matter: each answer shows that the
   * prober's own network connection works.
   */
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
   * Call this method when an online server has not answered a probe. Call it for an offline server only if no server
   * has ever answered over this network connection. After the first answer, the silence of an offline server is normal,
   * and shows nothing.
   */
  missed(network: number, now: number): void {
    this.#silentLooks++;
    if (this.#silent.size < MUTE_NETWORKS) this.#silent.add(network);
    this.#mute ||=
      this.#silent.size === MUTE_NETWORKS && now - this.#heardAt >= MUTE_MS && !this.#mayBeChance();
  }

  /**
   * Adds the result of a probe to the current and to the long-term share of unanswered probes. Call this method only if
   * the server answered its previous probe. Each network counts at most once in VOTE_MS. Further results of the network
   * do not change the shares.
   */
  firstLook(network: number, answered: boolean, now: number): void {
    if (!answered) this.missed(network, now);
    // Fibonacci hashing assigns networks evenly to the slots of the table. Without it, networks with similar addresses
    // would share a slot.
    const slot = Math.imul(network, 0x9e3779b1) >>> 24;
    const sinceVote = now - (this.#votedAt[slot] ?? 0);
    if (sinceVote >= 0 && sinceVote < VOTE_MS) return;
    this.#votedAt[slot] = now;
    const vote = answered ? 0 : 1;
    const left = Math.exp(-Math.max(0, now - this.#countedAt) / FADES_MS);
    this.#countedAt = now;
    this.#share = this.#usual + (this.#share - this.#usual) * left;
    this.#share += (vote - this.#share) * NOW;
    // The long-term share of unanswered probes must not include outages. Therefore it is not updated while the circuit
    // breaker is open, or when no server has answered for MUTE_MS.
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
      // The circuit breaker has been open for MOST_PARTIAL_MS, although some servers still answer. So the fault is not
      // in the prober's own connection. The long-term share of unanswered probes is raised to the current share, so
      // that the circuit breaker does not open again at once.
      this.#usual = this.#share;
      this.#close(now);
    }
  }

  #close(now: number): void {
    this.#openedAt = undefined;
    this.#closedAt = now;
  }
}
