/**
 * Number of slots in the table `#votedAt`. A hash assigns each network to a slot. The slot stores the time of the last
 * probe result from the network that changed the share of unanswered probes. In a large fleet, several networks share
 * one slot.
 */
const SLOTS = 256;
/**
 * In each period of this length, only one probe result of each network counts, ms. Therefore a large network has no
 * more weight than a small one.
 */
const VOTE_MS = 1_000;
/**
 * Weight of the newest probe result in two moving averages. NOW is for the current share of unanswered probes, USUAL
 * for the usual share.
 */
const NOW = 1 / 64;
const USUAL = 1 / 4096;
/**
 * The current share of unanswered probes returns exponentially to the usual share. This is the time constant of this
 * decay, ms. A prober with few servers has few probe results. Without the decay, the circuit breaker would stay open
 * for many minutes after an outage.
 */
const FADES_MS = 300_000;
/**
 * Limits for the share of silent networks among the networks that usually answer. The circuit breaker opens at OPENS
 * and closes below CLOSES. OPENS is above one half, because a remote fault often silences half of the networks.
 */
const OPENS = 3 / 4;
const CLOSES = 1 / 4;
/**
 * Longest time for which a partial outage keeps the circuit breaker open, ms. If some networks still answer after this
 * time, the prober's own network connection works. The detector then assumes a remote fault and closes the circuit
 * breaker.
 */
const MOST_PARTIAL_MS = 600_000;
/**
 * An outage counts as total if no network has answered for this time, ms. The first answer after a total outage closes
 * the circuit breaker: missing replies then count again as evidence about servers.
 */
const TOTAL_MS = 60_000;
/**
 * The circuit breaker also opens if all networks seem to be silent. This requires that no server has answered for
 * MUTE_MS (ms), and that probes in at least MUTE_NETWORKS networks are unanswered. The silence must also be too
 * improbable for a coincidence (see MUTE_CHANCE).
 */
const MUTE_MS = 5_000;
const MUTE_NETWORKS = 5;
/**
 * If all networks are silent, the circuit breaker opens only if the probability of a coincidence is at most
 * MUTE_CHANCE. This probability is s^n: s is the usual share of unanswered probes (at least LEAST_USUAL), and n is the
 * number of unanswered probes since the last answer.
 */
const MUTE_CHANCE = 1e-5;
const LEAST_USUAL = 0.01;
/**
 * FIRST_USUAL: first value of the average share of unanswered probes. FIRST_VOTES: weight of this first value in the
 * average, as a number of probe results.
 */
const FIRST_USUAL = 0.05;
const FIRST_VOTES = 16;
/**
 * The current share of unanswered probes can open the circuit breaker only if the usual share is at most this value. If
 * servers leave more than half of the probes unanswered even without an outage, a high share does not show an outage.
 */
const MOST_USUAL = 1 / 2;

/**
 * Circuit breaker for missing replies: finds out whether the prober's own network connection (uplink) is down. It
 * counts how many servers do not answer although they answered their previous probe. While the circuit breaker is open,
 * a missing reply is no evidence about a server.
 */
export class OutageDetector {
  readonly #votedAt = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);
  #share = 0;
  /** Time when the current share of unanswered probes was last updated, ms. */
  #countedAt = 0;
  #usual = FIRST_USUAL;
  /**
   * Number of probe results on which `#usual` (the usual share of unanswered probes) is based. The initial share counts
   * as FIRST_VOTES results.
   */
  #votes = FIRST_VOTES;
  #openedAt: number | undefined;
  #mute = false;
  /**
   * Networks with an unanswered probe. The set is emptied when a server of any network answers. At most MUTE_NETWORKS
   * networks are stored.
   */
  readonly #silent = new Set<number>();
  /** Number of unanswered probes since the last answer of any server. */
  #silentLooks = 0;
  #heardAt = Number.NEGATIVE_INFINITY;
  /**
   * Time when the circuit breaker last closed, ms: the detector then assumed that the prober's network connection
   * worked again.
   */
  #closedAt = Number.NEGATIVE_INFINITY;

  get isOpen(): boolean {
    return this.#mute || this.#openedAt !== undefined;
  }

  /** True if any server has ever answered. */
  get hasHeard(): boolean {
    return this.#heardAt !== Number.NEGATIVE_INFINITY;
  }

  /**
   * Time when the circuit breaker last closed, ms: the detector then assumed that the prober's network connection
   * worked again. Minus infinity if the circuit breaker was never open.
   */
  get closedAt(): number {
    return this.#closedAt;
  }

  /**
   * Records that a server has answered. The network of the server does not matter: each answer shows that the prober's
   * own network connection works.
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
   * Records an unanswered probe of a server. Before the first answer of any server, call this method for all servers.
   * After the first answer, call it only for servers with the status online, because other servers are often silent.
   */
  missed(network: number, now: number): void {
    this.#silentLooks++;
    if (this.#silent.size < MUTE_NETWORKS) this.#silent.add(network);
    this.#mute ||=
      this.#silent.size === MUTE_NETWORKS && now - this.#heardAt >= MUTE_MS && !this.#mayBeChance();
  }

  /**
   * Records the result of a probe of a server that answered its previous probe. The result changes two moving averages
   * of the share of unanswered probes: the current share and the usual (long-term) share. At most one result of each
   * network within VOTE_MS counts.
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
    // The usual share is the long-term share of unanswered probes without outages. Therefore it does not change during
    // an outage. It also does not change if no server has answered for MUTE_MS: an outage has perhaps begun.
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
      // Some networks still answer after MOST_PARTIAL_MS, so the prober's own network connection works. The other
      // networks are silent because of a remote fault. Therefore the circuit breaker closes. The current share of
      // unanswered probes becomes the usual share, so that the remote fault does not open the circuit breaker again.
      this.#usual = this.#share;
      this.#close(now);
    }
  }

  #close(now: number): void {
    this.#openedAt = undefined;
    this.#closedAt = now;
  }
}
