import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const BETWEEN_LOOKS_MS = 20;

/**
 * Calls `look` repeatedly until `found` is true for its value, and resolves with this value. Rejects after `deadlineMs`
 * milliseconds, by default 30 s, with the last value in the message. Also rejects if `look` fails.
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
