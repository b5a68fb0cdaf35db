import { decodeText } from './byte-reader.ts';
import { MalformedReply, MORE, type Step } from './protocol.ts';

const NEWLINE = 0x0a;

/** Splits a byte stream into lines, with any carriage returns around their ends. */
export class TextLines {
  readonly #maxBytes: number;
  readonly #maxLines: number;
  /** The beginning of a line whose end has not arrived. */
  #begun: Buffer[] = [];
  #bytes = 0;
  #lines = 0;

  constructor(maxBytes: number, maxLines: number) {
    this.#maxBytes = maxBytes;
    this.#maxLines = maxLines;
  }

  /**
   * Reads the lines that `chunk` completes. Returns the first step that ends the conversation, else all
   * packets to send. Throws MalformedReply for too many bytes or lines.
   */
  read(chunk: Buffer, readLine: (line: string) => Step): Step {
    const packets: Buffer[] = [];
    for (const line of this.#add(chunk)) {
      const step = readLine(line);
      if (step.kind === 'send') packets.push(...step.packets);
      else if (step.kind !== 'more') return step;
    }
    return packets.length > 0 ? { kind: 'send', packets } : MORE;
  }

  *#add(chunk: Buffer): Generator<string> {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#maxBytes) throw new MalformedReply(`more than ${this.#maxBytes} bytes`);
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, at);
      this.#begun.push(chunk.subarray(at, end < 0 ? undefined : end));
      if (end < 0) return;
      at = end + 1;
      const line = decodeText(Buffer.concat(this.#begun)).replaceAll('\r', '');
      this.#begun = [];
      if (++this.#lines > this.#maxLines) throw new MalformedReply(`more than ${this.#maxLines} lines`);
      yield line;
    }
  }
}
