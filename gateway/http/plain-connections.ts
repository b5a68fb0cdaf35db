import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type PlainService } from './plain-connection.ts';
import type { PlainRoute } from './plain-route.ts';

/** Time limits of connections, in milliseconds. */
export interface PlainLimits {
  /** How long a connection may be idle between two requests. */
  keepAliveTimeout: number;
  /** How long a caller may take to read its answer. */
  timeout: number;
  /** How often idle connections are checked, and how long a request may take to arrive before node:http takes over. */
  connectionsCheckingInterval: number;
}

/**
 * The connections of an HTTP server. Each is served without node:http until a request arrives that is not plain. A
 * connection without a request for a while is handed over to node:http too, which applies its own time limits.
 */
export class PlainConnections implements PlainService {
  readonly routes: readonly PlainRoute[];
  readonly timeoutMs: number;
  readonly keepAliveHeaders: string;
  readonly #server: Server;
  /** The listeners with which node:http takes over a socket. */
  readonly #nodeListeners: readonly ((socket: Socket) => void)[];
  readonly #limits: PlainLimits;
  readonly #open = new Set<PlainConnection>();
  #date = '';
  #dateSecond = -1;

  /** Takes over the new connections of `server`, unless `routes` is empty. */
  constructor(server: Server, routes: readonly PlainRoute[], limits: PlainLimits) {
    this.#server = server;
    this.routes = routes;
    this.#limits = limits;
    this.timeoutMs = limits.timeout;
    this.keepAliveHeaders = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(limits.keepAliveTimeout / 1000)}\r\n`;
    this.#nodeListeners = server.listeners('connection') as ((socket: Socket) => void)[];
    if (routes.length === 0) return;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!socket.destroyed) this.#open.add(new PlainConnection(socket, this));
    });
    const timer = setInterval(() => this.#checkIdle(), limits.connectionsCheckingInterval).unref();
    server.once('close', () => clearInterval(timer));
  }

  now(): number {
    return performance.now();
  }

  dateHeader(): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#dateSecond) {
      this.#dateSecond = second;
      this.#date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    }
    return this.#date;
  }

  handOver(connection: PlainConnection, bytes: Buffer): void {
    const { socket } = connection;
    this.#open.delete(connection);
    // node:http must have attached its parser before the socket emits the bytes that are put back.
    socket.pause();
    for (const listener of this.#nodeListeners) listener.call(this.#server, socket);
    if (bytes.length > 0) socket.unshift(bytes);
    socket.resume();
  }

  onCutShort({ socket }: PlainConnection): void {
    this.#server.emit('clientError', new Error('the connection ended within a request'), socket);
  }

  onClosed(connection: PlainConnection): void {
    this.#open.delete(connection);
  }

  /** Closes idle connections; node:http takes over those with a part of a request. */
  closeIdle(): void {
    for (const connection of this.#open) {
      if (connection.idleSince === undefined) continue;
      if (connection.hasPartialRequest) connection.handOver();
      else connection.destroy();
    }
  }

  closeAll(): void {
    for (const connection of this.#open) connection.destroy();
  }

  /** Closes connections that were idle for too long, and hands over those without a whole request. */
  #checkIdle(): void {
    const now = this.now();
    const { connectionsCheckingInterval, keepAliveTimeout } = this.#limits;
    for (const connection of this.#open) {
      const { idleSince, hasPartialRequest, served } = connection;
      if (idleSince === undefined) continue;
      const idle = now - idleSince;
      if (hasPartialRequest || !served) {
        if (idle >= connectionsCheckingInterval) connection.handOver();
      } else if (idle >= keepAliveTimeout) {
        connection.destroy();
      }
    }
  }
}
