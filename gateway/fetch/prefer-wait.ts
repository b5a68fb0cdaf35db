const MAX_WAIT_SECONDS = 5;

/**
 * Returns the number of seconds in a `Prefer: wait=N` header (RFC 7240, 4.3), at most 5. Returns undefined if the
 * header has no valid `wait`.
 */
export function preferredWait(prefer: string): number | undefined {
  if (prefer === '') return undefined;
  for (const preference of prefer.split(',')) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(preference)?.[1];
    // If the header contains several `wait` preferences, the first one is used (RFC 7240, 2).
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_SECONDS);
  }
  return undefined;
}
