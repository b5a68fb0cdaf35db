import { UsageError } from './command.ts';

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const MAX_LIFETIME_MS = 100 * 365 * 86_400_000;

/**
 * Parses a duration such as `90m`, `12h` or `30d` into milliseconds. Throws UsageError with the name of the option if
 * the text is not a duration above zero.
 */
export function readLifetime(option: string, text: string): number {
  const match = /^(\d{1,9})([mhd])$/.exec(text);
  const ms = Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (ms > 0) return ms;
  throw new UsageError(
    `--${option}: "${text}" is not a duration; write minutes, hours or days, for example 90m, 12h or 30d`,
  );
}

/**
 * Converts a lifetime such as `30d` to its expiry time. `now`: start of the lifetime (Unix ms). Throws UsageError with
 * the name of the option if the text is invalid.
 */
export function readExpiry(option: string, text: string, now: number): { seconds: number; nanos: number } {
  const ms = readLifetime(option, text);
  if (ms > MAX_LIFETIME_MS) throw new UsageError(`--${option}: the maximum is a hundred years (36500d)`);
  return { seconds: Math.ceil((now + ms) / 1000), nanos: 0 };
}
