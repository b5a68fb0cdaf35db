import type { EventEmitter } from 'node:events';
import type { TLSSocket } from 'node:tls';
import type { Logger } from './log.ts';

/**
 * Minimum time between two log lines about failed TLS handshakes of the same peer with the same cause, ms. Peers retry
 * ten times a second.
 */
const AGAIN_MS = 60_000;
const MAX_KEPT = 1_000;

/** Logs failed TLS handshakes of one port, at most once a minute for each peer and cause. */
export class FailedHandshakes {
  readonly #port: string;
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #told = new Map<string, number>();

  /** `port`: name of the listening port in log lines, such as `the internal port`. */
  constructor(port: string, log: Logger, now: () => number) {
    this.#port = port;
    this.#log = log;
    this.#now = now;
  }

  /** Logs the failed handshakes of a TLS server (the event `tlsClientError`). */
  watch(server: EventEmitter): void {
    server.on('tlsClientError', (error: Error & { reason?: string }, socket: TLSSocket) => {
      // If the handshake failed because of an untrusted certificate, only the socket contains the cause.
      const cause = socket.authorizationError ?? error.reason ?? error.message;
      this.logFailure(socket.remoteAddress, String(cause));
    });
  }

  logFailure(peer: string | undefined, cause: string): void {
    const key = `${peer} ${cause}`;
    const last = this.#told.get(key);
    if (last !== undefined && this.#now() - last < AGAIN_MS) return;
    if (this.#told.size >= MAX_KEPT) this.#told.clear();
    this.#told.set(key, this.#now());
    this.#log.warn({ peer, cause }, `a TLS handshake on ${this.#port} failed`);
  }
}
