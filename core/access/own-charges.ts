/** Requests of a token in one minute, and the time of its last use. */
export interface TokenUse {
  tokenId: string;
  /** Minutes since the Unix epoch. */
  minute: number;
  /** Number of charged requests; 0 if the token was used only for calls that are not charged. */
  requests: number;
  /** Time of the last use of the token, Unix ms; 0 if it is not known. */
  lastUsedMs: number;
}

/** Uses of tokens that a core reports to the lead in one call. */
export interface ChargeReport {
  /** Increases with each new report of this process. A repeated report has the same number. */
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

/** Limits of the memory that `OwnCharges` takes. */
export interface OwnChargesLimits {
  /**
   * Number of pairs of a token and a minute that are not reported yet. Above this number, a request of a token that has
   * unreported requests is counted in their newest minute.
   */
  pairs: number;
  /** Number of such pairs in one report. A report can exceed it by the minutes of one token. */
  reported: number;
  /** Number of reports that are sent but not included yet. */
  reports: number;
}

const LIMITS: OwnChargesLimits = { pairs: 100_000, reported: 50_000, reports: 4 };

/**
 * The requests that a core has admitted, and that the usage which it received from the lead does not include yet. The
 * lead of a cluster is the only core that stores the usage of tokens; all other cores report their requests to the lead.
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
   * Adds one request. Returns the minute in which it is counted: `minute`, or an earlier minute if too many minutes are
   * not reported yet.
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

  /** Returns the number of requests of a token in a minute that the usage from the lead does not include yet. */
  count(tokenId: string, minute: number): number {
    let count = this.#unreported.get(tokenId)?.minutes.get(minute) ?? 0;
    for (const { tokens } of this.#reports) count += tokens.get(tokenId)?.minutes.get(minute) ?? 0;
    return count;
  }

  /**
   * Returns the report to send next: the oldest one without an acknowledgement, or a new one. Returns undefined if there
   * is nothing to report, or if too many reports are acknowledged but not included yet.
   */
  nextReport(): ChargeReport | undefined {
    const unanswered = this.#reports.find(({ isAcknowledged }) => !isAcknowledged) ?? this.#newReport();
    return unanswered && { sequence: unanswered.sequence, uses: [...listUses(unanswered.tokens)] };
  }

  /** Call this method when the lead has added a report, so that it is not sent again. */
  acknowledge(sequence: number): void {
    for (const report of this.#reports) if (report.sequence <= sequence) report.isAcknowledged = true;
  }

  /**
   * Call this method when the usage from the lead includes all reports up to a number. Forgets them, and returns their
   * uses.
   */
  include(sequence: number): TokenUse[] {
    const included = this.#reports.filter(report => report.sequence <= sequence);
    this.#reports = this.#reports.filter(report => report.sequence > sequence);
    return included.flatMap(({ tokens }) => [...listUses(tokens)]);
  }

  /**
   * Call this method when another core has become the lead. All reports that are not included are reported again, with
   * new numbers, because the new lead does not know them.
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

  /** Yields all uses that the usage from the lead does not include yet. */
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
