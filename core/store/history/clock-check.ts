import { DAY_MS, HOUR_MS } from './periods.ts';

/**
 * Maximum time that the wall clock may gain on the monotonic clock between two checks, ms. A larger gain is a jump. The
 * first check uses GAP_MS instead.
 */
const JUMP_MS = HOUR_MS;
/**
 * At the start of the core, the wall clock may be at most this far ahead of the newest stored samples, ms. If it is
 * further ahead, it has probably jumped.
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
 * Notices when the wall clock jumps ahead. The core then does not trust the clock for a day, because all data could
 * look old enough to be deleted.
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
   * Returns false if the wall clock has jumped ahead within the last day. `newest`: end of the newest samples, Unix ms.
   * The first check compares the wall clock with this time.
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
