import type { ReasonCode } from '../../proto/reasons.ts';
import type { Logger } from '../../runtime/log.ts';
import type { CallOrigin } from './call-origin.ts';

/** How a call ended; `CANCELLED`: the caller hung up. */
export type CallEnd = 'OK' | 'CANCELLED' | ReasonCode;

/** Counts and logs the calls of one method. */
export class MethodJournal {
  readonly method: string;
  /** Calls under way. */
  inFlight = 0;
  /** Number of ended calls by outcome. Two outcomes start at 0, since Prometheus misses the first increase of a new series. */
  readonly ended = new Map<CallEnd, number>([
    ['OK', 0],
    ['INTERNAL_1', 0],
  ]);
  /** Called with the duration of each call in seconds, except calls that waited for something outside the core. */
  onSeconds: (seconds: number) => void = () => {};
  readonly #log: Logger | undefined;

  constructor(method: string, log: Logger | undefined) {
    this.method = method;
    this.#log = log;
  }

  /** Begins a call. Returns its start time for `end`. */
  begin(): number {
    this.inFlight++;
    return performance.now();
  }

  /**
   * Ends a call. `waited`: it is a stream or waited for a probe, so its duration is not measured. `originOf` is called only
   * if the call is logged.
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

/** Counts the calls of one port in plain numbers, which metrics read, and logs each at level debug. */
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

  /** Calls `told` with each method: at once with those called already, with the others before their first call. */
  watchMethods(told: (journal: MethodJournal) => void): void {
    this.#onMethod = told;
    for (const journal of this.#methods.values()) told(journal);
  }

  /** The journal of a method. `method`: a name of ours, never one that a caller chose, since journals are kept for good. */
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
