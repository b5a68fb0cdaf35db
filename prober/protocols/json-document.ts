import { decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** Structures in one another, the outermost included. */
const MAX_DEPTH = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];
const SPACES = [0x20, 0x09, 0x0a, 0x0d];

/** A JSON object or array that comes over a stream without its length: it ends where its own bracket does. */
export class JsonDocument {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #depth = 0;
  #inText = false;
  #escaped = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The document once it is whole, till then undefined; what is behind it is left. Throws MalformedReply. */
  add(chunk: Buffer): unknown {
    // Before any of it is looked at.
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw new MalformedReply(`more than ${this.#maxBytes} bytes`);
    const end = this.#endIn(chunk);
    this.#chunks.push(chunk.subarray(0, end));
    if (end === undefined) return undefined;
    try {
      return JSON.parse(decodeText(Buffer.concat(this.#chunks)));
    } catch {
      throw new MalformedReply('not JSON');
    }
  }

  /** Where the document ends. Each byte is looked at once: to try and parse at every chunk costs the square of them. */
  #endIn(chunk: Buffer): number | undefined {
    for (const [i, byte] of chunk.entries()) {
      if (this.#escaped) this.#escaped = false;
      else if (this.#inText) {
        if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inText = false;
      } else if (OPENING.includes(byte)) {
        if (++this.#depth > MAX_DEPTH) throw new MalformedReply(`deeper than ${MAX_DEPTH}`);
      } else if (CLOSING.includes(byte)) {
        if (--this.#depth <= 0) return i + 1;
      } else if (this.#depth === 0) {
        if (!SPACES.includes(byte)) throw new MalformedReply('not JSON');
      } else if (byte === QUOTE) this.#inText = true;
    }
    return undefined;
  }
}
