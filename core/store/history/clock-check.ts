import { DAY_MS, HOUR_MS } from './periods.ts';

/**
 * Limit for each check of the wall clock except the first, ms. The check compares how far the wall clock and the
 * monotonic clock advanced since the previous check. If the wall clock is ahead by more than this limit, it has jumped.
 */
const JUMP_MS = HOUR_MS;
/**
 * Limit for the first check of the wall clock after the start of the core, ms. If the wall clock is ahead of the newest
 * stored samples by more than this limit, it has probably jumped ahead.
 */
const GAP_MS = DAY_MS;
/** Time after a jump of the wall clock during which the core does not trust this clock, ms. */
const DOUBT_MS = DAY_MS;

/** Functions that `ClockCheck` (the check whether the wall clock has jumped) needs. */
export interface ClockCheckDependencies {
  /** Returns the time of the wall clock, Unix ms. */
  now: () => number;
  /** Returns the time of a monotonic clock, which nobody can set, ms. */
  monotonic: () => number;
  /** Called when the wall clock jumped ahead. */
  onJump: () => void;
}

/**
 * Notices when the wall clock jumps ahead. If the clock is wrong by years, all data looks old enough to be deleted, and
 * deleted data does not come back when the clock is right again. Therefore the core does not trust the clock for a day
 * after a jump.
 */
export class ClockCheck {
  readonly #dependencies: ClockCheckDependencies;
  readonly #startedAt: number;
  /** Wall clock minus monotonic clock at the last check. Undefined before the first check. */
  #offset: number | undefined;
  #trustedFrom = 0;

  constructor(dependencies: ClockCheckDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.monotonic();
  }

  /** Time since the core started, ms. Does not depend on the wall clock. */
  get uptimeMs(): number {
    return this.#dependencies.monotonic() - this.#startedAt;
  }

  /**
   * Returns false if the wall clock jumped ahead within the last day. For this, compares the wall clock with the
   * monotonic clock. The first check has no earlier check to compare with. It compares the wall clock with `newest`
   * instead: the end of the newest stored samples, Unix ms.
   */
  isTrusted(newest: number): boolean {
    const { now, monotonic, onJump } = this.#dependencies;
    const at = monotonic();
    const offset = now() - at;
    const jumped = this.#offset === undefined ? now() - newest > GAP_MS : offset - this.#offset > JUMP_MS;
    this.#offset = offset;
    if (jumped) {
      this.#trustedFrom = at + DOUBT_MS;
      onJump();
    }
    return at >= this.#trustedFrom;
  }
}
