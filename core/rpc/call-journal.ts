import type { ReasonCode } from '../../proto/reasons.ts';
import type { Logger } from '../../runtime/log.ts';
import type { CallOrigin } from './call-origin.ts';

/** How a call ended; `CANCELLED`: its caller went away. */
export type CallEnd = 'OK' | 'CANCELLED' | ReasonCode;

/** The calls of one method. */
export class MethodJournal {
  readonly method: string;
  /** Calls under way. */
  inFlight = 0;
  /** How many ended how. A count that begins at 0 is seen to grow; of one that begins at 1 nobody sees the first. */
  readonly ended = new Map<CallEnd, number>([
    ['OK', 0],
    ['INTERNAL_1', 0],
  ]);
  /** Told how many seconds each call took, but of those that waited for something else than us. */
  onSeconds: (seconds: number) => void = () => {};
  readonly #log: Logger | undefined;

  constructor(method: string, log: Logger | undefined) {
    this.method = method;
    this.#log = log;
  }

  /** Returns what `end` takes. */
  begin(): number {
    this.inFlight++;
    return performance.now();
  }

  /**
   * `waited`: the time says nothing of us, be it a stream's or that of a call that waited for a probe. `originOf` is
   * asked only where the log is told.
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

/** What becomes of the calls of one port: counted in plain numbers, which metrics read, and at level debug told one by one. */
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

  /** From now on `told` hears of each method before its first call, and of those called already. */
  watchMethods(told: (journal: MethodJournal) => void): void {
    this.#onMethod = told;
    for (const journal of this.#methods.values()) told(journal);
  }

  /** The journal of a method of ours; never of a name that a caller chose. */
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
