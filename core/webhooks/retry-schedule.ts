const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/**
 * Times to wait before the second attempt to send a delivery, before the third, and so on, ms. The last value is used
 * for all further attempts.
 */
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/**
 * Jitter: the time to wait before an attempt is changed at random by at most this share. So deliveries that fail at the
 * same time are not repeated at the same time.
 */
const JITTER = 0.2;
/** Maximum wait that a receiver can ask for with Retry-After, ms. */
const MAX_RETRY_AFTER_MS = HOUR;

/**
 * Time limit for failures, ms. If an attempt fails and the event is older than this time, gsq gives up the delivery. If
 * all attempts of a webhook fail for this time, gsq disables the webhook.
 */
export const GIVE_UP_MS = 24 * HOUR;
/**
 * If no attempt is made for a longer time than this (ms), the next failure starts a new series of failures
 * (`failingSince`). The normal wait between two attempts is always shorter.
 */
export const LONGEST_GAP_MS = 4 * HOUR;

/**
 * Returns the time to wait before the next attempt to send a delivery, ms. `attempts`: number of attempts so far, at
 * least 1. `retryAfterSeconds`: time that the receiver asked to wait, 0 if none.
 */
export function retryWait(attempts: number, retryAfterSeconds: number, random = Math.random): number {
  const wait = WAITS[Math.min(attempts, WAITS.length) - 1] ?? HOUR;
  const jittered = wait * (1 + JITTER * (2 * random() - 1));
  return Math.round(Math.max(jittered, retryAfterWait(retryAfterSeconds)));
}

/**
 * Returns the waiting time that a receiver has requested before the next attempt, ms: at most an hour. 0 if it has
 * requested none.
 */
export function retryAfterWait(retryAfterSeconds: number): number {
  return Math.min(retryAfterSeconds * SECOND, MAX_RETRY_AFTER_MS);
}
