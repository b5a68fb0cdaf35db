/** A clock that shows the same time until a test changes it. */
export interface Clock {
  at: number;
  readonly now: () => number;
}

/** Returns a clock that shows the time `at`, in ms since the Unix epoch. */
export function clockAt(at = Date.UTC(2026, 0, 1)): Clock {
  const clock = { at, now: () => clock.at };
  return clock;
}
