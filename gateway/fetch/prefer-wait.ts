const MAX_WAIT_SECONDS = 5;

/** The seconds of `Prefer: wait=N` (RFC 7240, 4.3), capped at 5; undefined if the header has no `wait`. */
export function preferredWait(prefer: string): number | undefined {
  if (prefer === '') return undefined;
  for (const preference of prefer.split(',')) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;|$)/i.exec(preference)?.[1];
    // The first of two equal preferences counts (RFC 7240, 2).
    if (seconds !== undefined) return Math.min(Number(seconds), MAX_WAIT_SECONDS);
  }
  return undefined;
}
