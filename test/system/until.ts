import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const BETWEEN_LOOKS_MS = 20;

/**
 * Calls `look` repeatedly until `found` returns true for the value of `look`. Resolves with this value. Rejects if
 * `look` fails, or after `deadlineMs` milliseconds (default: 30 s). The error message contains the last value.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  found: (seen: T) => boolean,
  deadlineMs = DEADLINE_MS,
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (found(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`waited in vain for: ${what}\nlast seen: ${JSON.stringify(seen)}`);
    await pause(BETWEEN_LOOKS_MS);
  }
}
