/** An answer as it came over the wire. */
export interface HttpAnswer {
  status: number;
  /** By lower-case name; those given twice joined by commas. */
  headers: Map<string, string>;
  /** As sent. */
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [A-Za-z ]+$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$/;

/** Cuts what a connection brings into answers. Throws on bytes that are none. */
export class AnswerReader {
  #bytes: Buffer = Buffer.alloc(0);
  /** The next answer is one to HEAD, whose length is that of a body that is not sent. */
  bodiless = false;

  /** Bytes of an answer that is not whole. */
  get rest(): number {
    return this.#bytes.length;
  }

  /** The answers that are whole with these bytes. Interim ones (1xx) are left out. */
  read(chunk: Buffer): HttpAnswer[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const answers: HttpAnswer[] = [];
    for (let answer = this.#next(); answer; answer = this.#next()) {
      if (answer.status >= 200) answers.push(answer);
    }
    return answers;
  }

  #next(): HttpAnswer | undefined {
    const end = this.#bytes.indexOf(HEAD_END);
    if (end < 0) return undefined;
    const [first = '', ...lines] = this.#bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(STATUS_LINE.exec(first)?.[1]);
    if (!status) throw new Error(`no status line: ${JSON.stringify(first)}`);
    const headers = new Map<string, string>();
    for (const line of lines) {
      const [, name, value] = HEADER_LINE.exec(line) ?? [];
      if (name === undefined || value === undefined) throw new Error(`no header: ${JSON.stringify(line)}`);
      const key = name.toLowerCase();
      headers.set(key, headers.has(key) ? `${headers.get(key)}, ${value}` : value);
    }
    const bare = status < 200 || status === 204 || status === 304 || this.bodiless;
    const length = bare ? 0 : Number(headers.get('content-length'));
    if (!Number.isSafeInteger(length)) throw new Error(`an answer without length: ${first}`);
    const start = end + HEAD_END.length;
    if (this.#bytes.length < start + length) return undefined;
    const body = this.#bytes.subarray(start, start + length);
    this.#bytes = this.#bytes.subarray(start + length);
    if (status >= 200) this.bodiless = false;
    return { status, headers, body };
  }
}
