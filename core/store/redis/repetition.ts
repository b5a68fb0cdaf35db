import { setTimeout as delay } from 'node:timers/promises';
import { ConnectionLost, EngineReplyError } from './engine-connection.ts';
import { NotExecuted } from './fenced-put.ts';

/** Error for a write that too few replicas have confirmed. */
export class NotConfirmed extends Error {
  override name = 'NotConfirmed';
}

/**
 * Pauses before the first, second, third repetition of a failed command, and so on, in milliseconds. The last pause
 * also applies to all later repetitions.
 */
const PAUSES_MS = [0, 20, 50, 100, 200];
/**
 * Codes of error replies of Redis and Valkey after which a command is repeated. All of them can occur during a failover
 * or a resharding.
 */
const TEMPORARY = new Set([
  'MOVED',
  'ASK',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'LOADING',
  'READONLY',
  'NOREPLICAS',
  'MASTERDOWN',
  'UNBLOCKED',
  'BUSY',
  'NOSCRIPT',
]);

/** Matches the error of the commands WAIT and WAITAOF if the called node (Redis or Valkey) has become a replica. */
const WAIT_ON_REPLICA = /^ERR WAIT(?:AOF)? cannot be used with replica/;

/** Returns the code of an error reply of Redis or Valkey, such as MOVED. Returns an empty text for other errors. */
export const codeOf = (error: Error): string => (error instanceof EngineReplyError ? error.code : '');

/**
 * Calls `work` until it succeeds. Rejects with the error of `work` if this error is not temporary, or if
 * `performance.now()` has reached `until`.
 */
export async function repeat<T>(work: () => Promise<T>, until: number): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTemporary(error) || performance.now() >= until) throw error;
      await delay(pauseAfter(attempt));
    }
  }
}

/** Returns the pause before the repetition of a command, ms. `attempt`: number of repetitions so far. */
export const pauseAfter = (attempt: number): number =>
  PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0;

/** True if the error is temporary: the failed command to the storage engine can succeed when it is repeated. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof ConnectionLost || error instanceof NotConfirmed || error instanceof NotExecuted)
    return true;
  return TEMPORARY.has(codeOf(error)) || WAIT_ON_REPLICA.test(error.message);
}
