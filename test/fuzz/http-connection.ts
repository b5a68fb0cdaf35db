import { connect, type Socket } from 'node:net';
import { AnswerReader, type HttpAnswer } from './answer-reader.ts';

/** Silence after which a request counts as waiting for more of itself; then nothing more is promised. */
const SILENCE_MS = 60;
/** The longest a request may wait for its answer, or for the end of its connection, ms. */
export const HANG_MS = 10_000;

/** What a request came to. */
export interface Exchanged {
  answers: HttpAnswer[];
  /** Whether the connection is still good for the next. */
  open: boolean;
  tookMs: number;
}

let opened = 0;

/** One of so many addresses of loopback, since each has no more ports than it has. */
export function loopbackAddress(): string {
  opened++;
  return `127.0.${1 + (opened % 4)}.${1 + (opened % 250)}`;
}

/** A raw connection to the gateway, for requests one after the other. */
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
    // A server that has said all may reset what is still being sent.
    this.#socket.on('error', () => {});
    this.#socket.on('close', () => {
      this.#closed = true;
      this.#heard();
    });
  }

  /**
   * Sends bytes and, right behind them, a request for the catalog by which it is seen whether both sides still agree on
   * where requests end. Where they may not (`whole` is false), silence ends this side. Rejects where neither an answer nor
   * the end of the connection comes.
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
      // A server that is told so gives no answer any more.
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
        // Of a request that does not end, what is sent behind it becomes a part.
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
