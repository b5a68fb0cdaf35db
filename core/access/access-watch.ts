import type { ServiceError } from '../../proto/service-error.ts';
import type { Token } from './token.ts';

/**
 * Maximum time between two checks whether the caller of an open stream may still use its token, ms. A single timer
 * until the token expires would not be enough, because Node limits timers to 24.8 days, and the clock can be set
 * meanwhile.
 */
const MAX_WAIT_MS = 60_000;

/** The part of the token store that `watchAccess` needs. */
export interface WatchedTokens {
  get(id: string): Token | undefined;
  /** Calls `listener` after each change of the token. Returns a function that removes the listener. */
  onChange(id: string, listener: () => void): () => void;
}

/** Options of `watchAccess`, which watches whether the caller of an open stream may still use its token. */
export interface AccessWatchOptions {
  tokens: WatchedTokens;
  tokenId: string;
  now: () => number;
  /** Returns the error for the caller of the open stream if it may no longer use its token; otherwise undefined. */
  findRefusal: () => ServiceError | undefined;
  /**
   * Called when the caller of the open stream may no longer use its token. `watchAccess` then stops watching, so it
   * calls this function at most once.
   */
  onRefused: (error: ServiceError) => void;
}

/**
 * Watches whether the caller of an open stream may still use its token. Checks this immediately, after each change of
 * the token, and when the token or a secret expires. Returns a function that ends the watch.
 */
export function watchAccess(options: AccessWatchOptions): () => void {
  const { tokens, tokenId, now, findRefusal, onRefused } = options;
  let timer: NodeJS.Timeout | undefined;
  const check = (): void => {
    clearTimeout(timer);
    const refusal = findRefusal();
    if (refusal) {
      stopChanges();
      onRefused(refusal);
      return;
    }
    const waitMs = Math.min(MAX_WAIT_MS, nextExpiry(tokens.get(tokenId), now()) - now());
    timer = setTimeout(check, waitMs);
  };
  const stopChanges = tokens.onChange(tokenId, check);
  check();
  return () => {
    clearTimeout(timer);
    stopChanges();
  };
}

/** Returns the next time after `now` at which a token or one of its secrets expires (Unix ms), or infinity. */
function nextExpiry(token: Token | undefined, now: number): number {
  if (!token) return Number.POSITIVE_INFINITY;
  const times = [token.expiresAt, ...token.secrets.map(({ until }) => until)];
  return Math.min(...times.filter(time => time > now));
}
