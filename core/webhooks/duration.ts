const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration such as `90s`, `3m` or `24h`. Returns the duration in ms, or undefined if the text is not a
 * duration.
 */
export function parseDuration(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,9})([smh])$/.exec(text) ?? [];
  return digits === '' ? undefined : Number(digits) * (UNITS[unit] ?? 0);
}

/** Formats a duration in ms in the largest unit that gives a whole number, such as `3m`. */
export function formatDuration(ms: number): string {
  const unit = ['h', 'm'].find(each => ms > 0 && ms % (UNITS[each] ?? 1) === 0) ?? 's';
  return `${ms / (UNITS[unit] ?? 1)}${unit}`;
}
