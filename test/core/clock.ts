/** A clock that stands still until a test moves it. */
export interface Clock {
  at: number;
  readonly now: () => number;
}

export function clockAt(at = Date.UTC(2026, 0, 1)): Clock {
  const clock = { at, now: () => clock.at };
  return clock;
}
