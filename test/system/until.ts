import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const BETWEEN_LOOKS_MS = 20;

/**
 * Calls `look` until `found` accepts its value, and resolves with this value. Rejects after `deadlineMs` milliseconds;
 * the error contains the last value.
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
