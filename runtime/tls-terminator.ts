import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { FailedHandshakes } from './failed-handshakes.ts';
import type { Logger } from './log.ts';
import { readTlsFiles, type TlsFiles } from './public-tls.ts';
import { watchFiles } from './watched-files.ts';

/** Limits for the unfinished TLS handshakes on one port: their duration and their number. */
export interface HandshakeLimits {
  /** Time limit of a TLS handshake, ms. */
  timeoutMs: number;
  /**
   * Maximum number of unfinished TLS handshakes on the port. If there are more, the connection with the oldest
   * unfinished handshake is closed.
   */
  unfinished: number;
}

const LIMITS: HandshakeLimits = { timeoutMs: 10_000, unfinished: 500 };

/** Properties of a port whose TLS connections a `TlsTerminator` accepts. */
export interface TerminatedPort {
  /** How log lines name the port, such as `the REST port`. */
  name: string;
  /** The application protocol (ALPN) that the port offers. */
  protocol: 'h2' | 'http/1.1';
  files: TlsFiles;
  log: Logger;
  now: () => number;
}

/**
 * Serves TLS on a public port, and passes each TLS socket on after its handshake. If certificate and key change, new
 * connections use the new ones.
 */
export class TlsTerminator {
  readonly #port: TerminatedPort;
  readonly #server: Server;
  readonly #failures: FailedHandshakes;
  readonly #maxUnfinished: number;
  /**
   * The TCP connections whose TLS handshake is not finished, the oldest first. The keys are the addresses of the peers.
   */
  readonly #unfinished = new Map<string, Socket>();
  readonly #unwatch: () => void;

  /**
   * Throws ConfigError if a TLS file cannot be used. `pollMs`: time between two checks of the TLS files for changes, in
   * milliseconds.
   */
  constructor(port: TerminatedPort, { timeoutMs, unfinished }: HandshakeLimits = LIMITS, pollMs?: number) {
    const { name, protocol, files, log, now } = port;
    this.#port = port;
    this.#maxUnfinished = unfinished;
    // Begins to watch the TLS files before it reads them, so that it misses no change.
    const paths = [files.certificate, files.key, files.clientAuthority].flatMap(file => file?.path ?? []);
    this.#unwatch = watchFiles(paths, () => this.reload(), pollMs);
    this.#server = createServer({
      ...readTlsFiles(files),
      ALPNProtocols: [protocol],
      handshakeTimeout: timeoutMs,
      requestCert: files.clientAuthority !== undefined,
      // Client certificates are optional, so Node must accept a connection without one. If a client sends a
      // certificate, `#onSecure` checks it.
      rejectUnauthorized: false,
    });
    this.#failures = new FailedHandshakes(name, log, now);
    this.#failures.watch(this.#server);
    // Node does not close the connection after a handshake has timed out. This listener closes it.
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
  }

  /**
   * Returns a listener for TCP connections. It does the TLS handshake of each connection. After the handshake it calls
   * `serve` with the encrypted connection. Must be called only once.
   */
  listenerFor(serve: (socket: TLSSocket) => void): (socket: Socket) => void {
    this.#server.on('secureConnection', socket => this.#onSecure(socket, serve));
    return socket => this.#startHandshake(socket);
  }

  /** Reads the TLS files again. If they cannot be used, keeps the certificate in use and logs the cause. */
  reload(): void {
    const { name, files, log } = this.#port;
    try {
      this.#server.setSecureContext(readTlsFiles(files));
      log.info({ certificate: files.certificate.path }, `${name} uses the new TLS files`);
    } catch (error) {
      log.error(
        { err: error },
        `${name} cannot use the new TLS files and keeps the previous ones; mend the files`,
      );
    }
  }

  /** Closes all connections whose TLS handshake is not finished, and stops watching the TLS files for changes. */
  close(): void {
    this.#unwatch();
    for (const socket of this.#unfinished.values()) socket.destroy();
  }

  #startHandshake(socket: Socket): void {
    if (socket.destroyed) return;
    // If the peer closes its sending direction during the TLS handshake, closes the whole connection. Otherwise such a
    // connection would stay open until the time limit of the handshake.
    socket.allowHalfOpen = false;
    const peer = peerOf(socket);
    this.#unfinished.set(peer, socket);
    socket.once('close', () => this.#unfinished.delete(peer));
    // If too many handshakes are unfinished, closes the oldest connection: a normal handshake ends within milliseconds,
    // so the oldest one is likely from an attacker.
    const [oldest] = this.#unfinished;
    if (oldest && this.#unfinished.size > this.#maxUnfinished) {
      this.#unfinished.delete(oldest[0]);
      oldest[1].destroy();
    }
    this.#server.emit('connection', socket);
  }

  #onSecure(socket: TLSSocket, serve: (socket: TLSSocket) => void): void {
    this.#unfinished.delete(peerOf(socket));
    if (this.#port.files.clientAuthority && !socket.authorized && socket.getPeerX509Certificate()) {
      this.#failures.logFailure(socket.remoteAddress, String(socket.authorizationError));
      socket.destroy();
    } else {
      serve(socket);
    }
  }
}

/** Address and port of the peer. The encrypted connection has the same address and port as its TCP connection. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
