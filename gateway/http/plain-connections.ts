import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type PlainService } from './plain-connection.ts';
import { type PlainRoute, PlainRoutes } from './plain-route.ts';
import { holdReading, releaseReading } from './read-holds.ts';

/** Time limits of connections that are served without node:http, in milliseconds. */
export interface PlainLimits {
  /** Longest time that a connection is allowed to be idle between two requests. */
  keepAliveTimeout: number;
  /** Longest time without a transferred byte while an answer is being sent. */
  timeout: number;
  /**
   * Time between two checks of the waiting connections. Also the time limit for the first request of a connection, and
   * for the rest of a partly received request. After this time, the connection is passed to node:http.
   */
  connectionsCheckingInterval: number;
}

/**
 * The connections of an HTTP server whose simple ("plain") requests are parsed without node:http. A connection is
 * passed to node:http at the first request that is not plain, or that does not arrive in time.
 */
export class PlainConnections implements PlainService {
  readonly routes: PlainRoutes;
  readonly timeoutMs: number;
  readonly keepAliveHeaders: string;
  readonly #server: Server;
  /**
   * The listeners of node:http for the event `connection`. To pass a socket to node:http, call them with the socket.
   */
  readonly #nodeListeners: readonly ((socket: Socket) => void)[];
  readonly #limits: PlainLimits;
  readonly #open = new Set<PlainConnection>();
  #date = '';
  #dateSecond = -1;

  /** Handles the new connections of `server` in place of node:http. Does nothing if `routes` is empty. */
  constructor(server: Server, routes: readonly PlainRoute[], limits: PlainLimits) {
    this.#server = server;
    this.routes = new PlainRoutes(routes);
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
    // Keeps the socket paused until node:http has attached its parser and `unshift` has put the unread bytes back.
    // Otherwise the socket could emit bytes too early.
    holdReading(socket);
    for (const listener of this.#nodeListeners) listener.call(this.#server, socket);
    if (bytes.length > 0) socket.unshift(bytes);
    releaseReading(socket);
  }

  onCutShort({ socket }: PlainConnection): void {
    this.#server.emit('clientError', new Error('the connection ended within a request'), socket);
  }

  onClosed(connection: PlainConnection): void {
    this.#open.delete(connection);
  }

  /**
   * Closes each connection as soon as its current answer is sent. If only a part of a request has arrived on a
   * connection, passes the connection to node:http instead, which waits for the rest of the request.
   */
  closeSoon(): void {
    for (const connection of this.#open) {
      if (connection.hasPartialRequest) connection.handOver();
      else connection.closeSoon();
    }
  }

  closeAll(): void {
    for (const connection of this.#open) connection.destroy();
  }

  /**
   * Closes connections that were idle for too long between two requests. If a connection has waited too long for a
   * complete request, passes it to node:http.
   */
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
