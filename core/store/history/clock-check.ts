import { DAY_MS, HOUR_MS } from './periods.ts';

/** Smallest difference between the wall clock and the monotonic clock that is a jump, ms. */
const JUMP_MS = HOUR_MS;
/** Smallest time between the newest stored samples and the start that is a jump, ms. */
const GAP_MS = DAY_MS;
/** Time after a jump in which the clock is not trusted, ms. */
const DOUBT_MS = DAY_MS;

/** Dependencies of `ClockCheck`. */
export interface ClockCheckDependencies {
  /** The wall clock, Unix ms. */
  now: () => number;
  /** A clock that nobody can set, ms. */
  monotonic: () => number;
  /** Called when the wall clock jumped ahead. */
  onJump: () => void;
}

/**
 * Notices when the wall clock jumps ahead. A clock that is wrong by years makes all data look old, and what is deleted
 * then does not come back when the clock is right again. So a clock that jumped is not trusted for a day.
 */
export class ClockCheck {
  readonly #dependencies: ClockCheckDependencies;
  readonly #startedAt: number;
  /** Wall clock minus monotonic clock at the last check. Undefined before the first one. */
  #offset: number | undefined;
  #trustedFrom = 0;

  constructor(dependencies: ClockCheckDependencies) {
    this.#dependencies = dependencies;
    this.#startedAt = dependencies.monotonic();
  }

  /** Time since the start, ms. Does not depend on the wall clock. */
  get uptimeMs(): number {
    return this.#dependencies.monotonic() - this.#startedAt;
  }

  /**
   * Compares the two clocks. Returns false if the wall clock jumped ahead within the last day. `newest`: end of the
   * newest stored samples, Unix ms; the first check compares the wall clock with it.
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
