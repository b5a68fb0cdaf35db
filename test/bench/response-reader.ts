const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_FEED = 10;
const LOWER_CASE = 0x20;
const NONE = Buffer.alloc(0);

/** Returns true if the header name `name` is at offset `at`. `name` must be in lower case and end with a colon. */
function isAt(bytes: Buffer, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) {
    if (((bytes[at + i] ?? 0) | LOWER_CASE) !== name.charCodeAt(i)) return false;
  }
  return true;
}

function numberAt(bytes: Buffer, at: number): number {
  let number = 0;
  for (let i = at; ; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === LOWER_CASE && number === 0) continue;
    if (byte < 48 || byte > 57) return number;
    number = number * 10 + byte - 48;
  }
}

/**
 * Reads the HTTP responses of one connection, one after another. It parses only the status and the headers
 * Content-Length and Retry-After, so that the load generator uses little CPU.
 */
export class ResponseReader {
  status = 0;
  retryAfter = false;
  #head = NONE;
  #bodyLeft = -1;

  /**
   * Parses the next bytes of the connection without keeping them. Returns true if a response is complete. Throws if a
   * response has no Content-Length, or if bytes follow its end.
   */
  push(bytes: Buffer): boolean {
    if (this.#bodyLeft < 0) {
      const all = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes]);
      const headEnd = all.indexOf(HEAD_END);
      if (headEnd < 0) {
        this.#head = Buffer.from(all);
        return false;
      }
      this.#head = NONE;
      this.#readHead(all, headEnd);
      this.#bodyLeft -= all.length - headEnd - HEAD_END.length;
    } else {
      this.#bodyLeft -= bytes.length;
    }
    if (this.#bodyLeft > 0) return false;
    if (this.#bodyLeft < 0) throw new Error('more than one answer to one request');
    this.#bodyLeft = -1;
    return true;
  }

  #readHead(bytes: Buffer, end: number): void {
    this.status = numberAt(bytes, 'HTTP/1.1 '.length);
    this.retryAfter = false;
    let length = -1;
    let at = 0;
    for (;;) {
      at = bytes.indexOf(LINE_FEED, at) + 1;
      if (at === 0 || at > end) break;
      if (isAt(bytes, at, 'content-length:')) length = numberAt(bytes, at + 15);
      else if (isAt(bytes, at, 'retry-after:')) this.retryAfter = true;
    }
    if (length < 0) throw new Error('an answer without Content-Length');
    this.#bodyLeft = length;
  }
}
