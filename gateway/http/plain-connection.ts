import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from './exchange.ts';
import { type PlainHead, PlainRequest, readPlainHead } from './plain-request.ts';

/** What answers the plain requests of one request line. */
export interface PlainRoute {
  method: string;
  /** With its line break. */
  requestLine: string;
  /** Whether it answers this one; those it does not are left to node:http. */
  takes(request: PlainRequest): boolean;
  /** Ends the response of every request, sooner or later. */
  listener(request: PlainRequest, response: Response): void;
}

/** What the connections of a server share. */
export interface PlainService {
  readonly routes: readonly PlainRoute[];
  /** How long a connection lives whose caller does not take an answer; milliseconds. */
  readonly timeoutMs: number;
  /** The Connection header of an answer after which the connection stays open, and what goes with it. */
  readonly keepAliveHeaders: string;
  /** The Date header (RFC 9110, 6.6.1). */
  dateHeader(): string;
  /** Milliseconds that never go back. */
  now(): number;
  /** Has node:http serve the connection from now on; `bytes` were read and not answered. */
  handOver(connection: PlainConnection, bytes: Buffer): void;
  /** Told when the other end closed in the middle of a request. */
  cutShort(connection: PlainConnection): void;
  /** Told when the connection is gone. */
  closed(connection: PlainConnection): void;
}

const NOTHING = Buffer.alloc(0);
/** Longer heads are read again each time: there may be thousands of connections. */
const KEPT_HEAD_BYTES = 1024;

// Head and body leave as one piece, put together in memory that serves all answers the kernel takes at once.
const PIECE_BYTES = 64 * 1024;
let piece = Buffer.allocUnsafeSlow(PIECE_BYTES);

function write(socket: Socket, head: string, body: Buffer): void {
  const length = head.length + body.length;
  if (length > PIECE_BYTES) {
    socket.cork();
    socket.write(head, 'latin1');
    socket.write(body);
    socket.uncork();
    return;
  }
  piece.write(head, 'latin1');
  piece.set(body, head.length);
  socket.write(piece.subarray(0, length));
  if (socket.writableLength > 0) piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
}

/**
 * A connection whose requests are all plain: one after the other, each arrived whole. It reads and answers those itself,
 * for less than half of what node:http's streams take; with the first request that is not it goes to node:http, for good.
 */
export class PlainConnection implements Response {
  readonly socket: Socket;
  readonly #service: PlainService;
  /** The first part of a request, or what came behind one that is not answered yet. */
  #kept: Buffer | undefined;
  #answering = false;
  #served = false;
  #closing = false;
  /** The bytes of the last head, where they are few, and what it says. */
  #lastHead: Buffer | undefined;
  #head: PlainHead | undefined;
  #route: PlainRoute | undefined;
  #answerHead = '';
  /** When it was made, or had its last answer. */
  #idleSince: number;

  constructor(socket: Socket, service: PlainService) {
    this.socket = socket;
    this.#service = service;
    this.#idleSince = service.now();
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
    socket.on('close', this.#onClose).on('timeout', this.#onTimeout);
  }

  /** Since when it has waited for a request; undefined while one is answered. */
  get idleSince(): number | undefined {
    return this.#answering ? undefined : this.#idleSince;
  }

  /** Whether it has answered a request. */
  get served(): boolean {
    return this.#served;
  }

  /** Whether a request has begun to arrive and is not complete. */
  get begun(): boolean {
    return !this.#answering && this.#kept !== undefined;
  }

  /** Leaves the connection to node:http. It must not be answering. */
  handOver(): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    socket.off('close', this.#onClose).off('timeout', this.#onTimeout);
    this.#service.handOver(this, this.#kept ?? NOTHING);
    this.#kept = undefined;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#closing) return;
    const first = this.#kept;
    const bytes = first ? Buffer.concat([first, chunk]) : chunk;
    this.#kept = bytes;
    if (this.#answering) {
      this.socket.pause();
      return;
    }
    const head = this.#headOf(bytes);
    const missing = head ? head.length + head.bodyLength - bytes.length : -1;
    const route = this.#route;
    if (head && route && missing === 0) {
      const request = new PlainRequest(this.socket, head, bytes.subarray(head.length));
      if (route.takes(request)) {
        this.#kept = undefined;
        this.#answering = true;
        route.listener(request, this);
        return;
      }
    }
    // Two pieces are usual, head and body; a request in more is node's to wait for.
    if (missing > 0 && !first) this.#idleSince = this.#service.now();
    else this.handOver();
  };

  /** The head that `bytes` begin with, and its route. Most callers send the same one again and again: it is read once. */
  #headOf(bytes: Buffer): PlainHead | undefined {
    const last = this.#lastHead;
    if (last && bytes.length >= last.length && bytes.compare(last, 0, last.length, 0, last.length) === 0) {
      return this.#head;
    }
    this.#route = this.#routeOf(bytes);
    const route = this.#route;
    const head = route && readPlainHead(route.method, bytes, route.requestLine.length);
    const kept = head && head.length <= KEPT_HEAD_BYTES;
    this.#lastHead = kept ? Buffer.from(bytes.subarray(0, head.length)) : undefined;
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
    // What is being answered is answered to the end.
    if (this.#answering) this.#closing = true;
    else if (this.#kept) this.#service.cutShort(this);
    else this.socket.destroySoon();
  };

  readonly #onError = (): void => {
    // It closes by itself.
  };

  readonly #onClose = (): void => {
    this.#service.closed(this);
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

  /** Values of headers are the service's own: nothing in them breaks a line. */
  writeHead(status: number, headers: Record<string, string>): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    head += this.#service.dateHeader();
    if (headers.Connection === 'close') this.#closing = true;
    else head += this.#closing ? 'Connection: close\r\n' : this.#service.keepAliveHeaders;
    this.#answerHead = `${head}\r\n`;
    return this;
  }

  /** Only answers to requests that are not complete leave in parts. */
  write(): never {
    throw new Error('a plain request is answered as a whole');
  }

  end(body: Buffer = NOTHING): void {
    const { socket } = this;
    const head = this.#answerHead;
    this.#answering = false;
    this.#served = true;
    if (socket.destroyed) return;
    write(socket, head, body);
    this.#idleSince = this.#service.now();
    if (this.#closing) socket.destroySoon();
    else if (this.#kept) this.handOver();
    else if (socket.writableLength > 0 && socket.writableNeedDrain) this.#awaitDrain();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Reads no further request while much of the answers so far is not taken. */
  #awaitDrain(): void {
    const { socket } = this;
    // It rests already.
    if (socket.isPaused()) return;
    socket.pause();
    socket.setTimeout(this.#service.timeoutMs);
    socket.once('drain', () => {
      socket.setTimeout(0);
      socket.resume();
    });
  }
}
