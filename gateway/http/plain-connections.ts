import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { PlainConnection, type PlainRoute, type PlainService } from './plain-connection.ts';

export interface PlainLimits {
  /** How long a connection may be idle between two requests; milliseconds. */
  keepAliveTimeout: number;
  /** How long a connection lives whose caller does not take an answer; milliseconds. */
  timeout: number;
  /** How often the first is looked after, and how long a request may be on its way before it is left to node:http. */
  connectionsCheckingInterval: number;
}

/**
 * The connections of an HTTP server, each of which is served without node:http from its first request on until one comes that
 * is not plain. A connection on which none comes soon is node's too, with its limits.
 */
export class PlainConnections implements PlainService {
  readonly routes: readonly PlainRoute[];
  readonly timeoutMs: number;
  readonly keepAliveHeaders: string;
  readonly #server: Server;
  /** What makes a socket a connection of node:http. */
  readonly #adopt: readonly ((socket: Socket) => void)[];
  readonly #limits: PlainLimits;
  readonly #open = new Set<PlainConnection>();
  #date = '';
  #dateSecond = -1;

  /** Takes over the connections of `server`, where there are routes to serve. */
  constructor(server: Server, routes: readonly PlainRoute[], limits: PlainLimits) {
    this.#server = server;
    this.routes = routes;
    this.#limits = limits;
    this.timeoutMs = limits.timeout;
    this.keepAliveHeaders = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(limits.keepAliveTimeout / 1000)}\r\n`;
    this.#adopt = server.listeners('connection') as ((socket: Socket) => void)[];
    if (routes.length === 0) return;
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (!socket.destroyed) this.#open.add(new PlainConnection(socket, this));
    });
    const timer = setInterval(() => this.#look(), limits.connectionsCheckingInterval).unref();
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
    // What is put back is to be read after node's parser stands ready.
    socket.pause();
    for (const adopt of this.#adopt) adopt.call(this.#server, socket);
    if (bytes.length > 0) socket.unshift(bytes);
    socket.resume();
  }

  cutShort({ socket }: PlainConnection): void {
    this.#server.emit('clientError', new Error('the connection ended within a request'), socket);
  }

  closed(connection: PlainConnection): void {
    this.#open.delete(connection);
  }

  /** Closes the connections that wait for a request. */
  closeIdle(): void {
    for (const connection of this.#open) {
      if (connection.idleSince === undefined) continue;
      if (connection.begun) connection.handOver();
      else connection.destroy();
    }
  }

  closeAll(): void {
    for (const connection of this.#open) connection.destroy();
  }

  #look(): void {
    const now = this.now();
    const { connectionsCheckingInterval, keepAliveTimeout } = this.#limits;
    for (const connection of this.#open) {
      const { idleSince, begun, served } = connection;
      if (idleSince === undefined) continue;
      const idle = now - idleSince;
      if (begun || !served) {
        if (idle >= connectionsCheckingInterval) connection.handOver();
      } else if (idle >= keepAliveTimeout) {
        connection.destroy();
      }
    }
  }
}
