import type { Logger } from '../../runtime/log.ts';

/** A peer tries again ten times a second; so often the same is told of it. */
const AGAIN_MS = 60_000;
const MAX_KEPT = 1_000;

/** Tells of TLS handshakes that failed, of a peer that keeps failing for the same cause once a minute. */
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
