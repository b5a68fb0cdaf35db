import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { holdReading, releaseAfterPause } from './read-holds.ts';

const HEAD_END = '\r\n\r\n';
/**
 * Number of bytes that are kept from the end of a packet, because the end of a request head (HEAD_END, four bytes) can
 * be split between two packets.
 */
const TAIL_BYTES = HEAD_END.length - 1;
const NO_BYTES = Buffer.alloc(0);

/**
 * A connection that node:http serves. Passes only one request at a time to node:http (backpressure). Otherwise
 * node:http would parse thousands of pipelined requests at once, and send some answers too early, such as `100
 * Continue`.
 */
export class NodeConnection {
  readonly #socket: Socket;
  /** The `data` listener of node:http, which parses the bytes of a connection. */
  readonly #parse: (bytes: Buffer) => void;
  /** The last request that node:http has parsed. */
  #request: IncomingMessage | undefined;
  /** The response to the request in `#request`. Undefined after the end of the response. */
  #response: ServerResponse | undefined;
  /** Function that starts the answer to `#request`. Undefined once it has been called. */
  #answer: (() => void) | undefined;
  /**
   * Number of bytes of the current request body that have not arrived yet, if its length is known from Content-Length.
   * 0 while a request head or a chunked body arrives.
   */
  #bodyLeft = 0;
  /**
   * The last bytes of the previous packet. They are needed because the empty line after a request head can be split
   * between two packets.
   */
  #tail = NO_BYTES;
  /** True if the socket is paused (`holdReading`), because more bytes arrived while a request was being answered. */
  #held = false;
  #dropsBytes = false;

  /** `socket`: a new connection to which node:http has already attached its listeners. */
  constructor(socket: Socket) {
    this.#socket = socket;
    const [parse] = socket.listeners('data');
    if (!parse) throw new Error('node:http has not attached a data listener to its connection');
    this.#parse = bytes => parse.call(socket, bytes);
    socket.on('data', this.#onData);
    socket.off('data', parse as (bytes: Buffer) => void);
  }

  /**
   * Call this method when node:http has parsed the head of a request. `answer`: function that starts the answer. It is
   * called a little later, when node:http has also parsed the bytes of the body that came in the same packet as the
   * head.
   */
  acceptRequest(request: IncomingMessage, response: ServerResponse, answer: () => void): void {
    this.#request = request;
    this.#response = response;
    this.#answer = answer;
    this.#bodyLeft = Number(request.headers['content-length'] ?? 0);
    response.once('close', () => {
      // Releases the request. Otherwise an idle connection would keep the headers of its last request in memory: up to
      // 16 KiB for each connection.
      this.#request = undefined;
      this.#response = undefined;
      if (this.#held) releaseAfterPause(this.#socket);
      this.#held = false;
    });
  }

  /** Ends the parsing of requests on this connection. Further bytes from the peer are read and dropped. */
  dropFurtherBytes(): void {
    this.#dropsBytes = true;
    // If the socket stayed paused, the server would not notice when the peer closes the connection.
    this.#socket.resume();
  }

  /**
   * Closes the connection as soon as no request is being answered. If a part of a new request has already arrived,
   * keeps the connection open, so that this request can be answered.
   */
  closeSoon(): void {
    if (this.#response) this.#response.once('close', () => this.#socket.destroySoon());
    else if (this.#tail.length === 0 && this.#parsesBytes) this.#socket.destroySoon();
  }

  readonly #onData = (packet: Buffer): void => {
    let bytes = packet;
    // node:http pauses the socket when the buffer of the request body is full. While the socket is paused, node:http
    // gets no more bytes.
    while (bytes.length > 0 && this.#parsesBytes && !this.#isBusy && !this.#socket.isPaused()) {
      const length = this.#nextLength(bytes);
      const piece = bytes.subarray(0, length);
      bytes = bytes.subarray(length);
      this.#parse(piece);
    }
    if (bytes.length > 0 && this.#parsesBytes) this.#putBack(bytes);
    const answer = this.#answer;
    this.#answer = undefined;
    answer?.();
  };

  /** True if the connection accepts further requests. False if its last answer was sent or is being sent. */
  get #parsesBytes(): boolean {
    return !this.#dropsBytes && this.#socket.writable;
  }

  /** True while a request that has arrived completely is being answered. */
  get #isBusy(): boolean {
    return this.#response !== undefined && this.#request?.complete === true;
  }

  /**
   * Returns the number of received bytes that node:http gets next. Bytes after the end of the current request are not
   * included.
   */
  #nextLength(bytes: Buffer): number {
    if (this.#bodyLeft > 0) {
      const length = Math.min(this.#bodyLeft, bytes.length);
      this.#bodyLeft -= length;
      return length;
    }
    // Finds the end of the current head or chunked body, because bytes after it may belong to the next request. Both
    // end with an empty line. An empty line inside a chunk does no harm: node:http then only gets the body in two
    // pieces.
    const searched = this.#tail.length > 0 ? Buffer.concat([this.#tail, bytes]) : bytes;
    const end = searched.indexOf(HEAD_END);
    const before = this.#tail.length;
    this.#tail = end < 0 ? Buffer.from(searched.subarray(-TAIL_BYTES)) : NO_BYTES;
    return end < 0 ? bytes.length : end + HEAD_END.length - before;
  }

  /**
   * Puts bytes that node:http has not parsed yet back into the read buffer of the socket. The next read returns them
   * first.
   */
  #putBack(bytes: Buffer): void {
    if (this.#isBusy && !this.#held) {
      this.#held = true;
      holdReading(this.#socket);
    }
    this.#socket.unshift(bytes);
  }
}
