import type { Logger } from './log.ts';

/**
 * Length of a time window of the access log, in milliseconds. If the same caller is refused with the same error code
 * several times in a window, only the first refusal can get a log line of its own.
 */
const WINDOW_MS = 1_000;
/**
 * Maximum number of refused requests that get a log line of their own in one time window, for each log level. Each pair
 * of caller and error code gets one such line. Further pairs are only counted.
 */
const MAX_PAIRS = 50;

/** Log level of a refused request: `warn` if gsq itself is the cause, `info` if the caller is the cause. */
export type RefusalLevel = 'info' | 'warn';

/** Counts the refusals of one caller with one error code in the current time window of the access log. */
interface Repeats {
  readonly caller: string;
  readonly code: string;
  /** How often the caller got the same error code again. Only the first refusal has a log line of its own. */
  suppressed: number;
}

/**
 * The refused requests of one log level in the current time window (`WINDOW_MS`). The access log has one such object
 * for the level `info`, and one for `warn`.
 */
interface LevelRefusals {
  /** Number of repetitions of each logged refusal, keyed by error code and key of the caller. */
  readonly repeats: Map<string, Repeats>;
  /**
   * Number of refused requests that could not be added to the map `repeats`, because it was full. These requests have
   * no log lines of their own.
   */
  others: number;
}

/**
 * Writes log lines about requests. Logs one of every `sample` successful requests. If several requests of the same
 * caller are refused with the same error code within a second, logs the first refusal, and then one line with the
 * number of the others. If there are too many such callers (`MAX_PAIRS`), only counts the further ones.
 */
export class AccessLog {
  /** True if the log level is debug. Then every successful request is logged. */
  readonly isVerbose: boolean;
  readonly #log: Logger;
  readonly #sample: number;
  #unlogged = 0;
  readonly #refusals: Readonly<Record<RefusalLevel, LevelRefusals>> = {
    info: { repeats: new Map(), others: 0 },
    warn: { repeats: new Map(), others: 0 },
  };
  readonly #keyOf: (caller: string) => string;
  #window: NodeJS.Timeout | undefined;

  /**
   * One of every `sample` successful requests is logged; none if `sample` is 0, and all at the log level debug.
   * `keyOf`: converts the address of a caller to a key. All callers with the same key count as one caller.
   */
  constructor(log: Logger, sample: number, keyOf: (caller: string) => string) {
    this.#keyOf = keyOf;
    this.#log = log;
    this.isVerbose = log.isLevelEnabled('debug');
    if (this.isVerbose) this.#sample = 1;
    else this.#sample = log.isLevelEnabled('info') ? sample : 0;
  }

  /**
   * Counts one request. Returns true if this request must be logged if it succeeds: one of every `sample` requests, or
   * all of them at the log level debug.
   */
  takeSample(): boolean {
    if (this.#sample === 0 || ++this.#unlogged < this.#sample) return false;
    this.#unlogged = 0;
    return true;
  }

  /**
   * Makes `takeSample` choose the next request. Call this method if a chosen request was refused, because only
   * successful requests belong to the sample.
   */
  returnSample(): void {
    this.#unlogged = this.#sample - 1;
  }

  /** Logs a successful request that `takeSample` has chosen. */
  logAnswer(fields: object): void {
    this.#log.info(fields, 'answered');
  }

  /**
   * Logs a refused request. If the same caller already got the same error code in this time window, only counts the
   * request. `fields` is called only if the line is written.
   */
  logRefusal(caller: string, code: string, level: RefusalLevel, fields: () => object): void {
    if (!this.#log.isLevelEnabled(level)) return;
    const refusals = this.#refusals[level];
    const key = `${code} ${this.#keyOf(caller)}`;
    const earlier = refusals.repeats.get(key);
    if (earlier) {
      earlier.suppressed++;
      return;
    }
    this.#window ??= setTimeout(this.#endWindow, WINDOW_MS).unref();
    if (refusals.repeats.size >= MAX_PAIRS) {
      refusals.others++;
      return;
    }
    refusals.repeats.set(key, { caller, code, suppressed: 0 });
    this.#log[level](fields(), 'refused');
  }

  /**
   * Logs how many refused requests of the current time window got no log line of their own. Must be called before the
   * process ends.
   */
  close(): void {
    clearTimeout(this.#window);
    this.#endWindow();
  }

  readonly #endWindow = (): void => {
    this.#window = undefined;
    for (const level of ['info', 'warn'] as const) {
      const refusals = this.#refusals[level];
      for (const { caller, code, suppressed } of refusals.repeats.values()) {
        if (suppressed > 0) this.#log[level]({ caller, code, suppressed }, 'refused again');
      }
      refusals.repeats.clear();
      if (refusals.others > 0) this.#log.warn({ suppressed: refusals.others }, 'refused many callers');
      refusals.others = 0;
    }
  };
}
