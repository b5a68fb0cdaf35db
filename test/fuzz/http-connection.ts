import { connect, type Socket } from 'node:net';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

/**
 * If a request that may be incomplete is not answered within this time (ms), the client closes its side of the
 * connection, because the server probably waits for the rest.
 */
const SILENCE_MS = 60;
/** Longest time from a request to its response or to the end of its connection, in milliseconds. */
export const HANG_MS = 10_000;

/** Result of one request on a raw connection: the responses, the state of the connection, and the duration. */
export interface Exchanged {
  answers: HttpAnswer[];
  /** True if the fuzzer can send another request on this connection. */
  open: boolean;
  tookMs: number;
}

let opened = 0;

/**
 * Returns a source address for a new connection: one of many loopback addresses, in rotation. A single source address
 * would have only 65,535 ports.
 */
export function loopbackAddress(): string {
  opened++;
  return `127.0.${1 + (opened % 4)}.${1 + (opened % 250)}`;
}

/** A raw TCP connection to the gateway, on which the fuzzer sends one request after another. */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #answers: HttpAnswer[] = [];
  #fault: unknown;
  #closed = false;
  #heard: () => void = () => {};

  constructor(address: string) {
    const [host = '', port] = address.split(':');
    this.#socket = connect({ host, port: Number(port), localAddress: loopbackAddress(), noDelay: true });
    this.#socket.on('data', chunk => {
      try {
        this.#answers.push(...this.#reader.read(chunk));
      } catch (error) {
        this.#fault ??= error;
        this.#socket.destroy();
      }
      this.#heard();
    });
    // Ignores connection resets. A server that has sent its whole response is allowed to reset a connection on which
    // the client is still sending.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#closed = true;
      this.#heard();
    });
  }

  /**
   * Sends the request `bytes`, and right after it a catalog request with the request id `id`. Resolves when the catalog
   * request is answered, or when the connection is closed. Rejects if an answer is not HTTP, or if nothing happens
   * within `HANG_MS`. `whole`: false if `bytes` can be an incomplete request, so that the server may wait for the rest.
   */
  exchange(bytes: Buffer, id: string, whole: boolean): Promise<Exchanged> {
    const began = performance.now();
    const behind = `GET /v1/get/games HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nIf-None-Match: *\r\n\r\n`;
    this.#answers = [];
    this.#reader.bodiless = bytes.subarray(0, 5).toString('latin1') === 'HEAD ';
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(silence);
        clearTimeout(limit);
        this.#heard = () => {};
      };
      // If the request may be incomplete, the server may wait for more bytes. The client has also sent a catalog
      // request. If the server does not answer the catalog request within SILENCE_MS, the client closes its side of the
      // connection.
      const silence = whole ? undefined : setTimeout(() => this.#socket.end(), SILENCE_MS);
      const limit = setTimeout(() => {
        finish();
        this.#socket.destroy();
        reject(new Error(`neither answered nor closed within ${HANG_MS} ms`));
      }, HANG_MS);
      this.#heard = () => {
        if (this.#fault !== undefined) {
          finish();
          reject(this.#fault);
          return;
        }
        const last = this.#answers.at(-1);
        const heard = last?.headers.get('x-request-id') === id;
        if (!heard && !this.#closed) return;
        finish();
        // The tested request is followed by a catalog request, whose answer has the status 304. If this answer is
        // missing, the server has closed the connection. If its status is different, the server has misjudged where the
        // tested request ends.
        const agreed = heard && last?.status === 304 && last.headers.get('connection') === 'keep-alive';
        const answers = agreed ? this.#answers.slice(0, -1) : this.#answers;
        const open = agreed && !this.#closed && this.#socket.writable;
        resolve({ answers, open, tookMs: performance.now() - began });
      };
      this.#socket.write(bytes);
      this.#socket.write(behind);
      if (this.#closed) this.#heard();
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
