import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from './exchange.ts';
import { type PlainHead, PlainRequest, readPlainHead } from './plain-request.ts';
import type { PlainRoute } from './plain-route.ts';
import { writeAnswer } from './write-answer.ts';

/** What the plain connections of a server share. */
export interface PlainService {
  readonly routes: readonly PlainRoute[];
  /** Milliseconds after which a connection is closed whose caller does not read its answer. */
  readonly timeoutMs: number;
  /** The Connection and Keep-Alive headers of an answer after which the connection stays open. */
  readonly keepAliveHeaders: string;
  /** The Date header (RFC 9110, 6.6.1). */
  dateHeader(): string;
  /** A monotonic clock in milliseconds. */
  now(): number;
  /** Makes node:http serve the connection from here on; `bytes` are those received and not answered. */
  handOver(connection: PlainConnection, bytes: Buffer): void;
  /** Called if the caller closed its half within a request. */
  onCutShort(connection: PlainConnection): void;
  /** Called when the connection is closed. */
  onClosed(connection: PlainConnection): void;
}

const NO_BYTES = Buffer.alloc(0);
/** The longest head that a connection caches; there may be thousands of connections. */
const MAX_CACHED_HEAD_BYTES = 1024;

/**
 * A connection whose requests are all plain: each arrives whole, after the answer to the one before. It reads and answers
 * them itself, for less than half the CPU that node:http takes (docs/performance.md). At the first request that is not
 * plain, node:http takes over the connection for good.
 */
export class PlainConnection implements Response {
  readonly socket: Socket;
  readonly #service: PlainService;
  /** The start of a request, or bytes that arrived before the answer to the request before them. */
  #unread: Buffer | undefined;
  #answering = false;
  #served = false;
  #closing = false;
  /** The bytes of the last head, if they are few, and the head parsed from them. */
  #lastHead: Buffer | undefined;
  #head: PlainHead | undefined;
  #route: PlainRoute | undefined;
  #answerHead = '';
  /** When the connection was opened, or its last answer was written. */
  #idleSince: number;

  constructor(socket: Socket, service: PlainService) {
    this.socket = socket;
    this.#service = service;
    this.#idleSince = service.now();
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
    socket.on('close', this.#onClose).on('timeout', this.#onTimeout);
  }

  /** Since when the connection has been idle; undefined while a request is being answered. */
  get idleSince(): number | undefined {
    return this.#answering ? undefined : this.#idleSince;
  }

  /** Whether the connection has answered a request. */
  get served(): boolean {
    return this.#served;
  }

  /** Whether a part of a request has arrived. */
  get hasPartialRequest(): boolean {
    return !this.#answering && this.#unread !== undefined;
  }

  /** Makes node:http take over the connection, which must not be answering. */
  handOver(): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    socket.off('close', this.#onClose).off('timeout', this.#onTimeout);
    this.#service.handOver(this, this.#unread ?? NO_BYTES);
    this.#unread = undefined;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#closing) return;
    const first = this.#unread;
    const bytes = first ? Buffer.concat([first, chunk]) : chunk;
    this.#unread = bytes;
    if (this.#answering) {
      this.socket.pause();
      return;
    }
    const head = this.#headOf(bytes);
    const missing = head ? head.length + head.bodyLength - bytes.length : -1;
    const route = this.#route;
    if (head && route && missing === 0) {
      const request = new PlainRequest(this.socket, head, bytes.subarray(head.length));
      if (route.acceptsPlain(request)) {
        this.#unread = undefined;
        this.#answering = true;
        route.listener(request, this);
        return;
      }
    }
    // Head and body often arrive in two packets; node:http reads a request that arrives in more.
    if (missing > 0 && !first) this.#idleSince = this.#service.now();
    else this.handOver();
  };

  /** Reads the head at the start of `bytes` and sets its route. Most callers repeat their head, so the last one is cached. */
  #headOf(bytes: Buffer): PlainHead | undefined {
    const last = this.#lastHead;
    if (last && bytes.length >= last.length && bytes.compare(last, 0, last.length, 0, last.length) === 0) {
      return this.#head;
    }
    this.#route = this.#routeOf(bytes);
    const route = this.#route;
    const head = route && readPlainHead(route.method, bytes, route.requestLine.length);
    const cacheable = head && head.length <= MAX_CACHED_HEAD_BYTES;
    this.#lastHead = cacheable ? Buffer.from(bytes.subarray(0, head.length)) : undefined;
    this.#head = head;
    return head;
  }

  #routeOf(bytes: Buffer): PlainRoute | undefined {
    for (const route of this.#service.routes) {
      const { requestLine } = route;
      if (bytes.toString('latin1', 0, requestLine.length) === requestLine) return route;
    }
    return undefined;
  }

  readonly #onEnd = (): void => {
    // The request in progress still gets its answer.
    if (this.#answering) this.#closing = true;
    else if (this.#unread) this.#service.onCutShort(this);
    else this.socket.destroySoon();
  };

  readonly #onError = (): void => {
    // Node closes the socket after an error.
  };

  readonly #onClose = (): void => {
    this.#service.onClosed(this);
  };

  readonly #onTimeout = (): void => {
    this.socket.destroy();
  };

  get destroyed(): boolean {
    return this.socket.destroyed;
  }

  get shouldKeepAlive(): boolean {
    return !this.#closing;
  }

  get writableEnded(): boolean {
    return !this.#answering;
  }

  get writableLength(): number {
    return this.socket.writableLength;
  }

  /** Writes the head of the answer. Header values must not contain line breaks; all are the service's own. */
  writeHead(status: number, headers: Record<string, string>): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    head += this.#service.dateHeader();
    if (headers.Connection === 'close') this.#closing = true;
    else head += this.#closing ? 'Connection: close\r\n' : this.#service.keepAliveHeaders;
    this.#answerHead = `${head}\r\n`;
    return this;
  }

  /** Never called: only the answer to a request that is still arriving is written in two steps. */
  write(): never {
    throw new Error('the answer to a plain request is written in one piece');
  }

  end(body: Buffer = NO_BYTES): void {
    const { socket } = this;
    const head = this.#answerHead;
    this.#answering = false;
    this.#served = true;
    if (socket.destroyed) return;
    writeAnswer(socket, head, body);
    this.#idleSince = this.#service.now();
    if (this.#closing) socket.destroySoon();
    else if (this.#unread) this.handOver();
    else if (socket.writableLength > 0 && socket.writableNeedDrain) this.#awaitDrain();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Backpressure: pauses reading until the caller has read most of its answers. */
  #awaitDrain(): void {
    const { socket } = this;
    // PausedConnections has paused it.
    if (socket.isPaused()) return;
    socket.pause();
    socket.setTimeout(this.#service.timeoutMs);
    socket.once('drain', () => {
      socket.setTimeout(0);
      socket.resume();
    });
  }
}
