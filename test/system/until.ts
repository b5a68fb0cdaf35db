import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const BETWEEN_LOOKS_MS = 20;

/**
 * Looks again and again until what is seen is what was waited for, and returns it. Rejects with what was seen last after
 * half a minute or the time given, and where looking fails.
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
