import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from './exchange.ts';
import { type PlainHead, PlainRequest, readPlainHead } from './plain-request.ts';
import type { MatchedRoute, PlainRoutes } from './plain-route.ts';
import { holdReading, releaseAfterPause, releaseReading } from './read-holds.ts';
import { writeAnswer } from './write-answer.ts';

/**
 * Settings and functions for HTTP connections that are served without node:http. All these connections share one such
 * object.
 */
export interface PlainService {
  readonly routes: PlainRoutes;
  /** A connection that is sending an answer is closed if it transfers no byte for this time, ms. */
  readonly timeoutMs: number;
  /**
   * The header lines `Connection` and `Keep-Alive`, with their line breaks. They are sent with an answer that leaves
   * the connection open.
   */
  readonly keepAliveHeaders: string;
  /** Returns the Date header of an answer as a complete header line (RFC 9110, 6.6.1). */
  dateHeader(): string;
  /** Returns the time of a monotonic clock in milliseconds. */
  now(): number;
  /**
   * Passes the connection to node:http, which serves all its further requests. `bytes`: bytes that the connection has
   * received but not parsed yet.
   */
  handOver(connection: PlainConnection, bytes: Buffer): void;
  /** Called if the caller closed its half of the connection after sending only a part of a request. */
  onCutShort(connection: PlainConnection): void;
  /** Called when an HTTP connection of a caller is closed. */
  onClosed(connection: PlainConnection): void;
}

const NO_BYTES = Buffer.alloc(0);
/**
 * Maximum size of a request head that is cached, in bytes. It is small, because each of thousands of connections caches
 * one request head.
 */
const MAX_CACHED_HEAD_BYTES = 1024;

/**
 * A connection that parses simple (plain) requests itself. This takes less than half the CPU time of node:http
 * (docs/performance.md). At the first request that is not simple, the connection is passed to node:http permanently.
 */
export class PlainConnection implements Response {
  readonly socket: Socket;
  readonly #service: PlainService;
  /** The received part of a request that has not arrived completely yet. */
  #unread: Buffer | undefined;
  #answering = false;
  /** True if the socket is paused (`holdReading`), because more bytes arrived while a request was being answered. */
  #held = false;
  #served = false;
  #closing = false;
  /**
   * The bytes of the most recent request head, if it was small enough to cache. `#head` is the parsed form of these
   * bytes.
   */
  #lastHead: Buffer | undefined;
  #head: PlainHead | undefined;
  #matched: MatchedRoute | undefined;
  #answerHead = '';
  /**
   * Time at which the current wait for bytes from the caller began. A wait begins when the connection opens, when an
   * answer is sent, and when the first part of a request arrives.
   */
  #idleSince: number;

  constructor(socket: Socket, service: PlainService) {
    this.socket = socket;
    this.#service = service;
    this.#idleSince = service.now();
    socket.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onError);
    socket.on('close', this.#onClose).on('timeout', this.#onTimeout);
  }

  /**
   * Time at which the connection began to wait for bytes from the caller. Undefined while a request is being answered
   * or the connection is being closed.
   */
  get idleSince(): number | undefined {
    const isBusy = this.#answering || this.#closing || this.socket.writableNeedDrain;
    return isBusy ? undefined : this.#idleSince;
  }

  /** True if the connection has answered at least one request. */
  get served(): boolean {
    return this.#served;
  }

  /** True if a part of the next request has arrived, but not all of it. */
  get hasPartialRequest(): boolean {
    return !this.#answering && this.#unread !== undefined;
  }

  /** Passes the connection to node:http. Must not be called while a request is being answered. */
  handOver(): void {
    const { socket } = this;
    socket.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError);
    socket.off('close', this.#onClose).off('timeout', this.#onTimeout);
    this.#service.handOver(this, this.#unread ?? NO_BYTES);
    this.#unread = undefined;
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#closing) return;
    if (this.#answering) {
      this.#putBack(chunk);
      return;
    }
    const first = this.#unread;
    const bytes = first ? Buffer.concat([first, chunk]) : chunk;
    this.#unread = bytes;
    const head = this.#headOf(bytes);
    const length = head ? head.length + head.bodyLength : 0;
    const missing = length - bytes.length;
    const matched = this.#matched;
    if (head && matched && missing <= 0) {
      const request = new PlainRequest(this.socket, head, bytes.subarray(head.length, length));
      if (matched.route.acceptsPlain(request)) {
        this.#unread = undefined;
        this.#answering = true;
        if (missing < 0) this.#putBack(bytes.subarray(length));
        matched.route.listener(request, this, matched.target);
        return;
      }
    }
    // Waits for one more packet if the request is incomplete, because head and body often arrive in two packets. If the
    // request is then still incomplete, node:http parses it.
    if (missing > 0 && !first) this.#idleSince = this.#service.now();
    else this.handOver();
  };

  /**
   * Puts the bytes of a later request back into the read buffer of the socket. The socket is not read until the current
   * request is answered.
   */
  #putBack(bytes: Buffer): void {
    this.#held = true;
    holdReading(this.socket);
    this.socket.unshift(bytes);
  }

  /**
   * Finds the route of the request at the start of `bytes`, and parses its head. Returns undefined if node:http must
   * serve the request. Caches the last head, because most callers send the same head with each request.
   */
  #headOf(bytes: Buffer): PlainHead | undefined {
    const last = this.#lastHead;
    if (last && bytes.length >= last.length && bytes.compare(last, 0, last.length, 0, last.length) === 0) {
      return this.#head;
    }
    this.#matched = this.#service.routes.find(bytes);
    const matched = this.#matched;
    const head = matched && readPlainHead(matched.route.method, bytes, matched.length);
    const cacheable = head && head.length <= MAX_CACHED_HEAD_BYTES;
    this.#lastHead = cacheable ? Buffer.from(bytes.subarray(0, head.length)) : undefined;
    this.#head = head;
    return head;
  }

  readonly #onEnd = (): void => {
    // The caller has closed its half of the connection, so it sends no more requests. The caller still gets the answer
    // to the request in progress.
    if (this.#unread) this.#service.onCutShort(this);
    else this.closeSoon();
  };

  readonly #onError = (): void => {
    // Without an error listener, Node would throw the error. The listener does nothing, because Node closes the socket
    // after an error.
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

  /**
   * Prepares the head of the answer, which `end` sends. Header values are not checked for line breaks, because the
   * gateway creates all values itself.
   */
  writeHead(status: number, headers: Record<string, string>): this {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    head += this.#service.dateHeader();
    if (headers.Connection === 'close') this.#closing = true;
    else head += this.#closing ? 'Connection: close\r\n' : this.#service.keepAliveHeaders;
    this.#answerHead = `${head}\r\n`;
    return this;
  }

  /**
   * Always throws, because an answer on a plain connection is never written in pieces. The gateway writes pieces only
   * while the request is still arriving, but answers a request on a plain connection when all of it has arrived.
   */
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
    if (this.#closing) {
      this.closeSoon();
      return;
    }
    if (socket.writableLength > 0 && socket.writableNeedDrain) this.#awaitDrain();
    if (!this.#held) return;
    this.#held = false;
    releaseAfterPause(socket);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Closes the connection as soon as the answer to the current request is sent. Reads no further request. */
  closeSoon(): void {
    this.#closing = true;
    if (this.#answering) return;
    this.socket.setTimeout(this.#service.timeoutMs);
    this.socket.destroySoon();
  }

  /**
   * Applies backpressure: reads no more requests until the operating system has accepted all answers to this
   * connection.
   */
  #awaitDrain(): void {
    const { socket } = this;
    holdReading(socket);
    socket.setTimeout(this.#service.timeoutMs);
    socket.once('drain', () => {
      socket.setTimeout(0);
      this.#idleSince = this.#service.now();
      releaseReading(socket);
    });
  }
}
