// Fetches JSON with an HTTP/1.0 GET request. Replies to HTTP/1.0 requests are never chunked, so no chunk decoder is
// needed: https://www.rfc-editor.org/rfc/rfc1945

import { hostPort } from '../../runtime/endpoint.ts';
import type { RawStatus } from '../answers/raw-status.ts';
import { UnknowableError } from '../answers/unknowable-error.ts';
import { retryAfterMs } from '../http/retry-after.ts';
import { JsonDocument } from './json-document.ts';
import {
  type ExchangeContext,
  MalformedReply,
  MORE,
  type Step,
  type StreamExchange,
  strictly,
} from './protocol.ts';

const MAX_HEAD_BYTES = 8 * 1024;
const MAX_BODY_BYTES = 240 * 1024;
const END_OF_HEAD = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})(?: |\r)/;

/** Fetches one JSON document from the web server of a game server. */
export class HttpJsonExchange implements StreamExchange {
  readonly #request: Buffer;
  readonly #read: (document: unknown) => RawStatus;
  readonly #body = new JsonDocument(MAX_BODY_BYTES);
  /** The bytes of the HTTP header received so far. Undefined after the header is complete. */
  #head: Buffer | undefined = Buffer.alloc(0);

  /**
   * Creates a query that requests the URL path `path`. The function `read` converts the JSON document into a status,
   * and is allowed to throw MalformedReply.
   */
  constructor({ host, port }: ExchangeContext, path: string, read: (document: unknown) => RawStatus) {
    const lines = [
      `GET ${path} HTTP/1.0`,
      `Host: ${hostPort(host, port)}`,
      'User-Agent: gsq',
      'Accept: application/json',
      'Connection: close',
    ];
    this.#request = Buffer.from(lines.join('\r\n') + END_OF_HEAD, 'latin1');
    this.#read = read;
  }

  request(): Buffer[] {
    return [this.#request];
  }

  receive(chunk: Buffer): Step {
    return strictly(() => {
      const body = this.#head ? this.#bodyBehind(Buffer.concat([this.#head, chunk])) : chunk;
      const document = body && this.#body.addBytes(body);
      return document === undefined ? MORE : { kind: 'done', status: this.#read(document) };
    });
  }

  partial(): RawStatus | undefined {
    return undefined;
  }

  /** Returns the bytes after the HTTP header. Returns undefined if the header is still incomplete. */
  #bodyBehind(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0 ? bytes.length > MAX_HEAD_BYTES : end > MAX_HEAD_BYTES)
      throw new MalformedReply(`a head of more than ${MAX_HEAD_BYTES} bytes`);
    if (end < 0) {
      this.#head = bytes;
      return undefined;
    }
    const head = bytes.toString('latin1', 0, end + 2);
    const [, code] = STATUS_LINE.exec(head) ?? [];
    if (code === undefined) throw new MalformedReply('no HTTP reply');
    if (code !== '200') throw refusal(code, head);
    this.#head = undefined;
    return bytes.subarray(end + END_OF_HEAD.length);
  }
}

/**
 * Converts an HTTP status code other than 200 into an error. 401, 403, 429 and 5xx become an UnknowableError, which
 * does not count against the server: it is running, but does not report its status.
 */
function refusal(code: string, head: string): Error {
  const detail = `HTTP ${code}`;
  if (code === '401' || code === '403') return new UnknowableError('needs-credentials', detail);
  if (code !== '429' && !code.startsWith('5')) return new MalformedReply(detail);
  const wait = retryAfterMs({ date: field(head, 'date'), 'retry-after': field(head, 'retry-after') });
  return new UnknowableError('directory-unavailable', detail, wait);
}

/** Returns the value of the first header field with this name. `name` must be in lower case. */
function field(head: string, name: string): string | undefined {
  const line = head.split('\r\n').find(text => text.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
