import type { ReasonCode } from '../../proto/reasons.ts';
import type { AccessLog } from '../../runtime/access-log.ts';
import { refusalLevel } from './call-journal.ts';
import type { CallOrigin } from './call-origin.ts';

/** A call that was refused before a handler of `Handlers` could serve it. */
export interface UnservedCall {
  /** IP address of the caller of the refused call; empty if it is not known. */
  caller: string;
  /** Name of the method of the refused call; `none` if the port has no such method. */
  method: string;
  origin: CallOrigin;
  /** Time between the start of the call and its refusal, in milliseconds. */
  ms: number;
  /**
   * True if the call was refused because of its deadline, or because this caller has too many calls. Such refusals are
   * logged at the level `info`.
   */
  isOwnLimit?: boolean;
}

/** Logs calls that were refused before a handler of `Handlers` could serve them. */
export class UnservedCalls {
  readonly #access: AccessLog | undefined;

  /** `access`: the access log of the port; if absent, nothing is logged. */
  constructor(access?: AccessLog) {
    this.#access = access;
  }

  logRefusal(code: ReasonCode, { caller, method, origin, ms, isOwnLimit }: UnservedCall): void {
    const level = isOwnLimit ? 'info' : refusalLevel(code);
    this.#access?.logRefusal(caller, code, level, () => ({
      ...origin,
      caller,
      method,
      code,
      ms,
    }));
  }
}
