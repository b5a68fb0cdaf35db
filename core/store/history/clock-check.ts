import { DAY_MS, HOUR_MS } from './periods.ts';

/**
 * Limit for detecting a jump of the wall clock, ms. The wall clock has jumped if it moves ahead of the monotonic clock
 * by more than this time between two checks. The first check compares the wall clock with the newest stored samples
 * instead (GAP_MS).
 */
const JUMP_MS = HOUR_MS;
/**
 * At the start of the core, the wall clock may be at most this far ahead of the newest stored samples, ms. If it is
 * further ahead, it has probably jumped.
 */
const GAP_MS = DAY_MS;
/** After the wall clock has jumped ahead, the core does not trust it for this time, ms. */
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
 * Checks whether the wall clock has jumped ahead. After a jump, the core does not trust the wall clock for a day. If
 * the clock shows a time far in the future, all data could look so old that the core would delete it.
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
   * Returns true if the core can trust the wall clock. Returns false for a day after the wall clock has jumped ahead.
   * `newest`: end of the newest stored samples, Unix ms. Only the first check needs it: a wall clock far ahead of this
   * time has jumped.
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
