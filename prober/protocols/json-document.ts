import { decodeText } from './byte-reader.ts';
import { MalformedReply } from './protocol.ts';

/** Maximum depth of nested JSON objects and arrays. The outermost object or array has depth 1. */
const MAX_DEPTH = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = [0x7b, 0x5b];
const CLOSING = [0x7d, 0x5d];
const SPACES = [0x20, 0x09, 0x0a, 0x0d];

/**
 * Reads one JSON object or array from a byte stream. The stream does not announce the length of the document, so the
 * closing bracket of the document marks its end.
 */
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

  /**
   * Adds a chunk. Returns the parsed document when its last byte has arrived, else undefined. Throws MalformedReply if
   * the document is too large, nested too deeply, or not JSON.
   */
  addBytes(chunk: Buffer): unknown {
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

  /**
   * Returns the index after the last byte of the JSON document, or undefined if the document does not end in `chunk`.
   * Reads each byte once. Calling JSON.parse for each chunk would take quadratic time.
   */
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
