const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/**
 * Waits between the attempts to send a delivery, ms: before the second attempt, before the third attempt, and so on.
 * The last wait is used for all further attempts.
 */
const WAITS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR];
/**
 * Jitter: maximum random change of a wait, as a share of the wait. With jitter, deliveries that fail at the same time
 * are not repeated at the same time.
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
 * Longest time between two attempts of one series of failures (`failingSince`), ms. After a longer time without an
 * attempt, the next failure starts a new series. No wait between two attempts is as long as this time.
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
