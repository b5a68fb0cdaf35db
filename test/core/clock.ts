/** A clock that shows the same time until a test changes it. */
export interface Clock {
  at: number;
  readonly now: () => number;
}

export function clockAt(at = Date.UTC(2026, 0, 1)): Clock {
  const clock = { at, now: () => clock.at };
  return clock;
}
