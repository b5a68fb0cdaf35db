const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Waits before the second and each later attempt, ms. The last wait repeats. */
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/** Each wait is longer or shorter by at most this share, so that deliveries that failed together do not return together. */
const JITTER = 0.2;
/** Longest wait that the answer of a receiver (Retry-After) can cause, ms. */
const MAX_RETRY_AFTER_MS = HOUR;

/** Time after which gsq gives up a delivery, and disables a webhook whose attempts all fail, ms. */
export const GIVE_UP_MS = 24 * HOUR;
/**
 * Longest time between two failures of a receiver that belong together, ms. It is longer than each wait. After a longer
 * time without attempts, nobody knows whether the receiver failed in between.
 */
export const LONGEST_GAP_MS = 4 * HOUR;

/**
 * Returns the wait before the next attempt, ms. `attempts`: number of attempts so far, at least 1. `retryAfterSeconds`:
 * the wait that the receiver asked for; 0 if it asked for none.
 */
export function retryWait(attempts: number, retryAfterSeconds: number, random = Math.random): number {
  const wait = WAITS[Math.min(attempts, WAITS.length) - 1] ?? HOUR;
  const jittered = wait * (1 + JITTER * (2 * random() - 1));
  return Math.round(Math.max(jittered, retryAfterWait(retryAfterSeconds)));
}

/** Returns the wait that a receiver asked for, ms: at most an hour. 0 if it asked for none. */
export function retryAfterWait(retryAfterSeconds: number): number {
  return Math.min(retryAfterSeconds * SECOND, MAX_RETRY_AFTER_MS);
}
