/** One HTTP response that the fuzzer received. */
export interface HttpAnswer {
  status: number;
  /** Header values, keyed by header name in lower case. The values of a repeated header are joined with commas. */
  headers: Map<string, string>;
  /** The body of the HTTP response as received. It is still compressed if the server compressed it. */
  body: Buffer;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [A-Za-z ]+$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\t -~]*)$/;

/** Splits the received bytes of one connection into HTTP responses. `read` throws if the bytes are not HTTP. */
export class AnswerReader {
  #bytes: Buffer = Buffer.alloc(0);
  /** True if the next response answers a HEAD request. Such a response has a Content-Length but no body. */
  bodiless = false;

  /** Number of received bytes of the response that is still incomplete. */
  get rest(): number {
    return this.#bytes.length;
  }

  /** Adds received bytes. Returns the responses that these bytes complete, without interim responses (status 1xx). */
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
