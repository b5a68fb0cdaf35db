import type { EventEmitter } from 'node:events';
import type { TLSSocket } from 'node:tls';
import type { Logger } from './log.ts';

/** Length of a time window, ms. Each peer and cause is logged once in a window: peers retry ten times a second. */
const WINDOW_MS = 60_000;
/** Maximum number of pairs (peer and cause) that are logged in one time window. */
const MAX_PAIRS = 100;

/**
 * Logs failed TLS handshakes of one port, once a minute for each peer and cause. Writes at most 100 such lines a
 * minute, and then one line which says that the rest of the minute is not logged.
 */
export class FailedHandshakes {
  readonly #port: string;
  readonly #log: Logger;
  readonly #now: () => number;
  /** The peers and causes that were logged in the current time window. */
  readonly #logged = new Set<string>();
  #windowBegan = 0;

  /** `port`: name of the listening port in log lines, such as `the internal port`. */
  constructor(port: string, log: Logger, now: () => number) {
    this.#port = port;
    this.#log = log;
    this.#now = now;
  }

  /** Logs the failed handshakes of a TLS server (the event `tlsClientError`). */
  watch(server: EventEmitter): void {
    server.on('tlsClientError', (error: Error & { reason?: string }, socket: TLSSocket) => {
      // If the handshake failed because of an untrusted certificate, only the TLS socket contains the cause.
      const cause = socket.authorizationError ?? error.reason ?? error.message;
      this.logFailure(socket.remoteAddress, String(cause));
    });
  }

  logFailure(peer: string | undefined, cause: string): void {
    const now = this.#now();
    // If the current time window began in the future, the clock was set back. A new window begins in this case too.
    if (now < this.#windowBegan || now - this.#windowBegan >= WINDOW_MS) {
      this.#windowBegan = now;
      this.#logged.clear();
    }
    const key = `${peer} ${cause}`;
    if (this.#logged.has(key) || this.#logged.size > MAX_PAIRS) return;
    this.#logged.add(key);
    if (this.#logged.size <= MAX_PAIRS)
      this.#log.warn({ peer, cause }, `a TLS handshake on ${this.#port} failed`);
    else this.#log.warn(`many TLS handshakes on ${this.#port} failed; the rest of this minute is not logged`);
  }
}
