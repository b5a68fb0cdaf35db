/** Number of requests of a token in one minute, and the time at which the token was last used. */
export interface TokenUse {
  tokenId: string;
  /** Minute in which the requests are counted, in minutes since the Unix epoch. */
  minute: number;
  /** Number of charged requests; 0 if the token was used only for calls that are not charged. */
  requests: number;
  /** Time of the last use of the token, Unix ms; 0 if it is not known. */
  lastUsedMs: number;
}

/**
 * A report about the use of tokens on one core. The core sends the report in one call to the lead, which is the core
 * that stores the usage of all tokens.
 */
export interface ChargeReport {
  /**
   * Sequence number of this report. It increases with each new report of this core process. A repeated report has the
   * same number.
   */
  readonly sequence: number;
  readonly uses: readonly TokenUse[];
}

/** How one token was used. `minutes`: number of charged requests, keyed by minute since the Unix epoch. */
interface Uses {
  readonly minutes: Map<number, number>;
  lastUsedMs: number;
}

type UsesByToken = Map<string, Uses>;

interface SentReport {
  readonly sequence: number;
  readonly tokens: UsesByToken;
  isAcknowledged: boolean;
}

/** Limits of `OwnCharges`, which keeps the uses of tokens in memory until the lead core has counted them. */
export interface OwnChargesLimits {
  /**
   * Soft limit for the number of unreported counters. A counter contains the requests of one token in one minute. At
   * the limit, a token that has a counter gets no new one: its newest counter also counts the requests of later
   * minutes.
   */
  pairs: number;
  /**
   * Soft limit for the number of counters in a usage report. A report contains all counters of each of its tokens, so
   * it can exceed the limit.
   */
  reported: number;
  /**
   * Maximum number of sent usage reports that the lead has not confirmed as counted. The lead is the core that stores
   * the usage of all tokens.
   */
  reports: number;
}

const LIMITS: OwnChargesLimits = { pairs: 100_000, reported: 50_000, reports: 4 };

/**
 * The uses of tokens on this core that the lead core has perhaps not counted yet. The lead core stores the usage of all
 * tokens.
 */
export class OwnCharges {
  readonly #limits: OwnChargesLimits;
  #unreported: UsesByToken = new Map();
  #pairs = 0;
  #reports: SentReport[] = [];
  #sequence = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Counts one request of a token in `minute`, and returns `minute`. If there are too many unreported counters, counts
   * the request in the newest minute for which the token already has a counter, and returns this minute.
   */
  addRequest(tokenId: string, minute: number): number {
    const uses = usesOf(this.#unreported, tokenId);
    const isNew = !uses.minutes.has(minute);
    const isFull = isNew && this.#pairs >= this.#limits.pairs && uses.minutes.size > 0;
    const counted = isFull ? Math.max(...uses.minutes.keys()) : minute;
    if (isNew && !isFull) this.#pairs++;
    uses.minutes.set(counted, (uses.minutes.get(counted) ?? 0) + 1);
    return counted;
  }

  /** Records a use of a token at the time `at` (Unix ms). */
  noteUse(tokenId: string, at: number): void {
    usesOf(this.#unreported, tokenId).lastUsedMs = at;
  }

  /**
   * Returns the number of requests of a token in one minute that the lead (the core that stores the usage) has not
   * counted yet.
   */
  count(tokenId: string, minute: number): number {
    let count = this.#unreported.get(tokenId)?.minutes.get(minute) ?? 0;
    for (const { tokens } of this.#reports) count += tokens.get(tokenId)?.minutes.get(minute) ?? 0;
    return count;
  }

  /**
   * Returns the next usage report for the lead core: the oldest unacknowledged report, or a new one. Returns undefined
   * if there is nothing to report, or if too many reports are not counted yet.
   */
  nextReport(): ChargeReport | undefined {
    const unanswered = this.#reports.find(({ isAcknowledged }) => !isAcknowledged) ?? this.#newReport();
    return unanswered && { sequence: unanswered.sequence, uses: [...listUses(unanswered.tokens)] };
  }

  /**
   * Marks the usage reports up to the number `sequence` as received by the lead core, so that this core does not send
   * them again.
   */
  acknowledge(sequence: number): void {
    for (const report of this.#reports) if (report.sequence <= sequence) report.isAcknowledged = true;
  }

  /**
   * Removes the usage reports that the lead core has counted, and returns the token uses in them. `sequence`: number of
   * the newest counted report. The lead has also counted all reports with lower numbers.
   */
  include(sequence: number): TokenUse[] {
    const included = this.#reports.filter(report => report.sequence <= sequence);
    this.#reports = this.#reports.filter(report => report.sequence > sequence);
    return included.flatMap(({ tokens }) => [...listUses(tokens)]);
  }

  /**
   * Deletes all sent usage reports, and adds the token uses in them to the unreported uses. This core then reports
   * these uses again. Call this when another core becomes the lead: the new lead may not have received the reports.
   */
  changeLead(): void {
    for (const { tokens } of this.#reports) {
      for (const { tokenId, minute, requests, lastUsedMs } of listUses(tokens)) {
        const uses = usesOf(this.#unreported, tokenId);
        if (requests > 0) {
          if (!uses.minutes.has(minute)) this.#pairs++;
          uses.minutes.set(minute, (uses.minutes.get(minute) ?? 0) + requests);
        }
        uses.lastUsedMs = Math.max(uses.lastUsedMs, lastUsedMs);
      }
    }
    this.#reports = [];
  }

  /** Yields the uses of tokens on this core that the lead core has perhaps not counted yet. */
  *all(): Generator<TokenUse, undefined> {
    for (const { tokens } of this.#reports) yield* listUses(tokens);
    yield* listUses(this.#unreported);
  }

  #newReport(): SentReport | undefined {
    const { reports, reported } = this.#limits;
    if (this.#unreported.size === 0 || this.#reports.length >= reports) return undefined;
    const tokens: UsesByToken = new Map();
    let pairs = 0;
    for (const [tokenId, uses] of this.#unreported) {
      if (tokens.size > 0 && pairs >= reported) break;
      tokens.set(tokenId, uses);
      pairs += Math.max(1, uses.minutes.size);
      this.#pairs -= uses.minutes.size;
      this.#unreported.delete(tokenId);
    }
    const report = { sequence: ++this.#sequence, tokens, isAcknowledged: false };
    this.#reports.push(report);
    return report;
  }
}

function usesOf(tokens: UsesByToken, tokenId: string): Uses {
  let uses = tokens.get(tokenId);
  if (!uses) {
    uses = { minutes: new Map(), lastUsedMs: 0 };
    tokens.set(tokenId, uses);
  }
  return uses;
}

function* listUses(tokens: UsesByToken): Generator<TokenUse, undefined> {
  for (const [tokenId, { minutes, lastUsedMs }] of tokens) {
    if (minutes.size === 0) yield { tokenId, minute: 0, requests: 0, lastUsedMs };
    for (const [minute, requests] of minutes) yield { tokenId, minute, requests, lastUsedMs };
  }
}
