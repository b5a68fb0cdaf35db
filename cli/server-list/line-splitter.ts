/**
 * Maximum length of a line in bytes. A longer line is refused, and its bytes are not stored. So even a file without
 * line feeds needs little memory.
 */
export const MAX_LINE_BYTES = 64 * 1024;

const LF = 0x0a;
const CR = 0x0d;

/**
 * Reason why gsq cannot read a line of a server list. A core refuses servers for other reasons: see docs/errors.md.
 */
export type LineReason = 'bad_encoding' | 'line_too_long' | 'malformed_line' | 'missing_value';

/** A line of a file, without its line end and without a byte order mark. */
export interface TextLine {
  /** Number of the line in the file. The first line has the number 1. */
  number: number;
  text: string;
}

/** A line that cannot be read, because the line is too long or is not valid UTF-8. */
export interface BrokenLine {
  number: number;
  reason: LineReason;
  /** Text for people: what is wrong with the line, and how to correct the line. */
  message: string;
}

export type Line = TextLine | BrokenLine;

/**
 * Splits the bytes of a file into lines, chunk by chunk. A line ends with LF or CRLF. The last line can also end with
 * the file.
 */
export class LineSplitter {
  // Removes a byte order mark at the start of each line. If the file was joined from several files, it can have such
  // marks in the middle too.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #number = 0;
  #parts: Uint8Array[] = [];
  #length = 0;

  /** Yields all lines that end in this chunk of the file. Read all of them before the next call of `push`. */
  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      this.#addPart(chunk.subarray(start, end));
      yield this.#takeLine();
      start = end + 1;
    }
    this.#addPart(chunk.subarray(start));
  }

  /** Yields the last line, if the file does not end with a line feed. */
  *end(): Generator<Line> {
    if (this.#length > 0) yield this.#takeLine();
  }

  #addPart(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length <= MAX_LINE_BYTES) this.#parts.push(part);
    else this.#parts = [];
  }

  #takeLine(): Line {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    const number = ++this.#number;
    if (length > MAX_LINE_BYTES) {
      const message = `The line is longer than ${MAX_LINE_BYTES} bytes.`;
      return { number, reason: 'line_too_long', message };
    }
    const bytes = Buffer.concat(parts, length);
    try {
      const text = this.#decoder.decode(bytes.at(-1) === CR ? bytes.subarray(0, -1) : bytes);
      return { number, text };
    } catch {
      return { number, reason: 'bad_encoding', message: 'The line is not UTF-8; save the file as UTF-8.' };
    }
  }
}
