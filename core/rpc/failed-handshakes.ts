import type { Logger } from '../../runtime/log.ts';

/** Minimum time between two log lines about the same peer and cause, ms. Peers retry ten times a second. */
const AGAIN_MS = 60_000;
const MAX_KEPT = 1_000;

/** Logs failed TLS handshakes, at most once a minute for each peer and cause. */
export class FailedHandshakes {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #told = new Map<string, number>();

  constructor(log: Logger, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  readonly logFailure = (peer: string | undefined, cause: string): void => {
    const key = `${peer} ${cause}`;
    const last = this.#told.get(key);
    if (last !== undefined && this.#now() - last < AGAIN_MS) return;
    if (this.#told.size >= MAX_KEPT) this.#told.clear();
    this.#told.set(key, this.#now());
    this.#log.warn({ peer, cause }, 'a TLS handshake on the internal port failed');
  };
}
