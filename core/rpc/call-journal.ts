import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import { type ReasonCode, reasons } from '../../proto/reasons.ts';
import type { AccessLog } from '../../runtime/access-log.ts';
import type { CallOrigin } from './call-origin.ts';

/** Result of a call: OK, CANCELLED if the caller cancelled the call, or the reason code of an error. */
export type CallEnd = 'OK' | 'CANCELLED' | ReasonCode;

/** The content of the log line about a call, except for the method, the result and the duration. */
export interface CallLine extends CallOrigin {
  /** IP address of the caller. */
  caller: string;
  token_id?: string;
  addresses?: number;
  inserted?: number;
  invalid?: number;
}

/**
 * Returns what the log line of a fetch contains about the caller's token and the fetched servers. Returns no fields if
 * the caller was not authenticated.
 */
export function accountFields({ tokenId, addresses, inserted, invalid }: CallAccount): Partial<CallLine> {
  return tokenId === '' ? {} : { token_id: tokenId, addresses, inserted, invalid };
}

/** Counts and logs the calls of one method. */
export class MethodJournal {
  readonly method: string;
  /** Number of calls of the method that are in progress. */
  inFlight = 0;
  /**
   * Number of ended calls, keyed by result. OK and INTERNAL_1 start with the value 0, because Prometheus does not see
   * the first increase of a counter that appears later.
   */
  readonly ended = new Map<CallEnd, number>([
    ['OK', 0],
    ['INTERNAL_1', 0],
  ]);
  /** Called with the duration of each call in seconds, except for streams and calls that waited for a probe. */
  onSeconds: (seconds: number) => void = () => {};
  readonly #access: AccessLog | undefined;

  constructor(method: string, access: AccessLog | undefined) {
    this.method = method;
    this.#access = access;
  }

  /** Counts the start of a call. Returns the start time, which `end` needs. */
  begin(): number {
    this.inFlight++;
    return performance.now();
  }

  /**
   * Counts a call that has ended. Returns true if this call must also be logged with `logEnd`. `waited`: true for a
   * stream, and for a call that waited for a probe. The duration of such a call is not passed to `onSeconds`.
   */
  end(began: number, code: CallEnd, waited: boolean): boolean {
    this.inFlight--;
    this.ended.set(code, (this.ended.get(code) ?? 0) + 1);
    if (!waited) this.onSeconds((performance.now() - began) / 1000);
    if (!this.#access) return false;
    return isRefusal(code) || this.#access.takeSample();
  }

  /**
   * Logs a call that has ended. `caller`: IP address of the caller. `line`: returns the fields of the log line. Some
   * calls get no log line, for example if the same caller causes the same error again and again.
   */
  logEnd(began: number, code: CallEnd, caller: string, line: () => CallLine): void {
    const fields = () => ({ ...line(), method: this.method, code, ms: millisecondsSince(began) });
    if (isRefusal(code)) this.#access?.logRefusal(caller, code, refusalLevel(code), fields);
    else this.#access?.logAnswer(fields());
  }
}

function isRefusal(code: CallEnd): code is ReasonCode {
  return code !== 'OK' && code !== 'CANCELLED';
}

/** Returns the level of the log line about a refused call: `warn` if gsq is the cause of the refusal. */
export function refusalLevel(code: ReasonCode): 'info' | 'warn' {
  return reasons[code].http >= 500 ? 'warn' : 'info';
}

/** Returns the time since `began` (`performance.now()`) in milliseconds, rounded to hundredths. */
export function millisecondsSince(began: number): number {
  return Math.round((performance.now() - began) * 100) / 100;
}

/** Counts the calls of one port for the metrics, and writes the calls to the access log (`AccessLog`). */
export class CallJournal {
  readonly #methods = new Map<string, MethodJournal>();
  readonly #access: AccessLog | undefined;
  #onMethod: (journal: MethodJournal) => void = () => {};

  /** `access`: log of the calls; if absent, calls are only counted. */
  constructor(access?: AccessLog) {
    this.#access = access;
  }

  /** True if every call is logged, because the log level is debug. */
  get isVerbose(): boolean {
    return this.#access?.isVerbose ?? false;
  }

  get methods(): Iterable<MethodJournal> {
    return this.#methods.values();
  }

  /**
   * Calls `told` once for each gRPC method, with the counters of the method. For a method that already has counters,
   * `told` is called immediately. For any other method, it is called when the first call of the method arrives.
   */
  watchMethods(told: (journal: MethodJournal) => void): void {
    this.#onMethod = told;
    for (const journal of this.#methods.values()) told(journal);
  }

  /**
   * Returns the counters of a method. `method` must be the name of a gsq method, never a string from a caller. Counters
   * are never deleted, so a caller could fill the memory with invented names.
   */
  of(method: string): MethodJournal {
    let journal = this.#methods.get(method);
    if (!journal) {
      journal = new MethodJournal(method, this.#access);
      this.#methods.set(method, journal);
      this.#onMethod(journal);
    }
    return journal;
  }
}
