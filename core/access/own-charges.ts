/** Requests of a token in one minute, and the time of its last use. */
export interface TokenUse {
  tokenId: string;
  /** Minute in which the requests are counted, in minutes since the Unix epoch. */
  minute: number;
  /** Number of charged requests; 0 if the token was used only for calls that are not charged. */
  requests: number;
  /** Time of the last use of the token, Unix ms; 0 if it is not known. */
  lastUsedMs: number;
}

/** Uses of tokens that a core reports in one call to the lead (the core that stores the usage of all tokens). */
export interface ChargeReport {
  /**
   * Number of the usage report (the uses of tokens that this core sends to the lead core). It increases with each new
   * report of this core process. A repeated report has the same number.
   */
  readonly sequence: number;
  readonly uses: readonly TokenUse[];
}

/** Uses of one token. `minutes`: number of charged requests, keyed by minute since the Unix epoch. */
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

/** Limits of the memory for the uses of tokens that `OwnCharges` keeps until the lead core has counted them. */
export interface OwnChargesLimits {
  /**
   * Maximum number of counters that are not yet reported to the lead (the core that stores the usage of tokens). A
   * counter counts the requests of one token in one minute. At this number, a request in a new minute is added to the
   * newest counter of its token. A token without a counter still gets one.
   */
  pairs: number;
  /**
   * Number of counters (each for one token and one minute) at which a report is full. All counters of a token are in
   * the same report. Therefore the counters of the last token in a report can exceed this number.
   */
  reported: number;
  /**
   * Maximum number of sent usage reports whose requests are not yet in the usage from the lead (the core that stores
   * the usage of tokens).
   */
  reports: number;
}

const LIMITS: OwnChargesLimits = { pairs: 100_000, reported: 50_000, reports: 4 };

/**
 * The uses of tokens on this core that are still missing from the usage that the lead core sends. Only the lead core of
 * a cluster stores the usage of tokens. Therefore all other cores report the requests that they admit to the lead core.
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
   * Adds one request of a token. Returns the minute in which the request is counted: `minute`, or an earlier minute if
   * too many minutes are not reported yet.
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
   * Returns the number of requests of a token in a minute that are not yet in the usage from the lead (the core that
   * stores the usage of tokens).
   */
  count(tokenId: string, minute: number): number {
    let count = this.#unreported.get(tokenId)?.minutes.get(minute) ?? 0;
    for (const { tokens } of this.#reports) count += tokens.get(tokenId)?.minutes.get(minute) ?? 0;
    return count;
  }

  /**
   * Returns the next usage report to send: the oldest one that the lead core has not acknowledged, or a new one.
   * Returns undefined if there is nothing to report. Also returns undefined if too many acknowledged reports are still
   * missing from the usage that the lead core sends.
   */
  nextReport(): ChargeReport | undefined {
    const unanswered = this.#reports.find(({ isAcknowledged }) => !isAcknowledged) ?? this.#newReport();
    return unanswered && { sequence: unanswered.sequence, uses: [...listUses(unanswered.tokens)] };
  }

  /**
   * Call this method when the lead core has acknowledged the usage report with this number. This core then does not
   * send this report, or an earlier report, again.
   */
  acknowledge(sequence: number): void {
    for (const report of this.#reports) if (report.sequence <= sequence) report.isAcknowledged = true;
  }

  /**
   * Removes the reports up to the number `sequence`, and returns the uses of tokens in them. Call this method when the
   * usage from the lead (the core that stores the usage of tokens) includes these reports.
   */
  include(sequence: number): TokenUse[] {
    const included = this.#reports.filter(report => report.sequence <= sequence);
    this.#reports = this.#reports.filter(report => report.sequence > sequence);
    return included.flatMap(({ tokens }) => [...listUses(tokens)]);
  }

  /**
   * Call this method when another core has become the lead (the core that stores the usage of tokens). The new lead may
   * not have the last usage reports of this core. Therefore this core reports the requests that are missing from the
   * stored usage again, in reports with new numbers.
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

  /**
   * Yields all uses of tokens on this core that are not yet in the usage from the lead (the core that stores the usage
   * of tokens).
   */
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
