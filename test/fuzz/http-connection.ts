import { connect, type Socket } from 'node:net';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

/**
 * After this silence, ms, an incomplete request counts as waiting for its rest. No response is expected any
 * more.
 */
const SILENCE_MS = 60;
/** Longest time from a request to its response or to the end of its connection, ms. */
export const HANG_MS = 10_000;

/** Result of one request. */
export interface Exchanged {
  answers: HttpAnswer[];
  /** True if the connection can send another request. */
  open: boolean;
  tookMs: number;
}

let opened = 0;

/** Returns one of many loopback addresses in turn, because one source address has at most 65,535 ports. */
export function loopbackAddress(): string {
  opened++;
  return `127.0.${1 + (opened % 4)}.${1 + (opened % 250)}`;
}

/** A raw TCP connection to the gateway that sends one request after another. */
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
    // Ignores resets: a server that has sent its whole response may reset a connection that still sends.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#closed = true;
      this.#heard();
    });
  }

  /**
   * Sends bytes, followed by a catalog request with a known id. The response to the catalog request shows
   * that client and server agree on the end of the first request.
   *
   * If `whole` is false, the first request may be incomplete, and the client closes its side after a silence.
   * Rejects if neither a response nor the end of the connection comes.
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
      // The connection is closed only after a silence, because the server sends no response once the
      // connection is closed.
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
        // A 304 to the catalog request shows agreement. Without it, the server read the catalog request as
        // part of an unfinished request.
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
