import { setTimeout as pause } from 'node:timers/promises';

const DEADLINE_MS = 30_000;
const BETWEEN_LOOKS_MS = 20;

/**
 * Looks again and again until what is seen is what was waited for, and returns it. Rejects after half a minute
 * with what was seen last.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  found: (seen: T) => boolean,
): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const seen = await look();
    if (found(seen)) return seen;
    if (Date.now() > deadline)
      throw new Error(`waited in vain for: ${what}\nlast seen: ${JSON.stringify(seen)}`);
    await pause(BETWEEN_LOOKS_MS);
  }
}
