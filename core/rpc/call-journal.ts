import type { ReasonCode } from '../../proto/reasons.ts';
import type { Logger } from '../../runtime/log.ts';
import type { CallOrigin } from './call-origin.ts';

/** Result of a call: OK, CANCELLED if the caller cancelled the call, or the reason code of an error. */
export type CallEnd = 'OK' | 'CANCELLED' | ReasonCode;

/** Counts and logs the calls of one method. */
export class MethodJournal {
  readonly method: string;
  /** Number of calls in progress. */
  inFlight = 0;
  /**
   * Number of ended calls, keyed by result. The results OK and INTERNAL_1 exist from the start, with the value 0.
   * Prometheus would not count the first call of a result that appears later.
   */
  readonly ended = new Map<CallEnd, number>([
    ['OK', 0],
    ['INTERNAL_1', 0],
  ]);
  /** Called with the duration of each call in seconds, except for streams and calls that waited for a probe. */
  onSeconds: (seconds: number) => void = () => {};
  readonly #log: Logger | undefined;

  constructor(method: string, log: Logger | undefined) {
    this.method = method;
    this.#log = log;
  }

  /** Counts the start of a call. Returns the start time, which `end` needs. */
  begin(): number {
    this.inFlight++;
    return performance.now();
  }

  /**
   * Counts a call that has ended, and logs it if the log level is debug. `waited`: true for a stream, and for a call
   * that waited for a probe. The durations of such calls are not passed to `onSeconds`. `originOf` returns the request
   * id and the trace context of the call. It is called only if the call is logged.
   */
  end<Call>(
    began: number,
    code: CallEnd,
    waited: boolean,
    call: Call,
    originOf: (call: Call) => CallOrigin,
  ): void {
    this.inFlight--;
    this.ended.set(code, (this.ended.get(code) ?? 0) + 1);
    const seconds = (performance.now() - began) / 1000;
    if (!waited) this.onSeconds(seconds);
    if (this.#log?.isLevelEnabled('debug')) {
      this.#log.debug({ ...originOf(call), method: this.method, code, seconds }, 'answered');
    }
  }
}

/**
 * Counts the calls of one port, and logs each call at level debug. The counts are plain numbers, which the metrics
 * read.
 */
export class CallJournal {
  readonly #methods = new Map<string, MethodJournal>();
  readonly #log: Logger | undefined;
  #onMethod: (journal: MethodJournal) => void = () => {};

  constructor(log?: Logger) {
    this.#log = log;
  }

  get methods(): Iterable<MethodJournal> {
    return this.#methods.values();
  }

  /**
   * Calls `told` once for each method, with the counters of the method. Methods that were called before are reported
   * immediately, all others at their first call.
   */
  watchMethods(told: (journal: MethodJournal) => void): void {
    this.#onMethod = told;
    for (const journal of this.#methods.values()) told(journal);
  }

  /**
   * Returns the counters of a method. `method` must be the name of a gsq method, never a string from a caller. The
   * counters of a name are never deleted, so callers with many names could fill the memory.
   */
  of(method: string): MethodJournal {
    let journal = this.#methods.get(method);
    if (!journal) {
      journal = new MethodJournal(method, this.#log);
      this.#methods.set(method, journal);
      this.#onMethod(journal);
    }
    return journal;
  }
}
