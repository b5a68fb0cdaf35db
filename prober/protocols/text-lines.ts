import { decodeText } from './byte-reader.ts';
import { MalformedReply, MORE, type Step } from './protocol.ts';

const NEWLINE = 0x0a;

/** Splits a byte stream into text lines at line feeds. Removes all carriage returns. */
export class TextLines {
  readonly #maxBytes: number;
  readonly #maxLines: number;
  /** The received part of a line whose line feed has not arrived yet. */
  #begun: Buffer[] = [];
  #bytes = 0;
  #lines = 0;

  constructor(maxBytes: number, maxLines: number) {
    this.#maxBytes = maxBytes;
    this.#maxLines = maxLines;
  }

  /**
   * Calls `readLine` with each line that `chunk` completes. `readLine` returns a step: what the query does next. If a
   * step ends the query, returns this step. Otherwise returns one step that sends the packets of all steps, or that
   * waits for more data if there are no packets. Throws MalformedReply if the stream has too many bytes or lines.
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
