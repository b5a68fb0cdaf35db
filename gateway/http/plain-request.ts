import type { Socket } from 'node:net';

/** The names of the request headers that the gateway reads, in lower case. */
const known = [
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'host',
  'if-modified-since',
  'if-none-match',
  'origin',
  'prefer',
  'referer',
  'traceparent',
  'x-api-token',
  'x-api-token-email',
  'x-api-token-type',
  'x-forwarded-for',
  'x-request-id',
] as const;

/** Request headers that `readPlainHead` does not support. A request with one of them is parsed by node:http. */
const unusual = [
  'access-control-request-method',
  'content-encoding',
  'expect',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/**
 * Name of a request header, in lower case, that the gateway or its parser reads. The gateway ignores all other headers.
 */
export type RequestHeader = (typeof known)[number] | (typeof unusual)[number];
type Headers = Partial<Record<RequestHeader, string>>;

const KNOWN: ReadonlySet<string> = new Set(known);
const UNUSUAL: ReadonlySet<string> = new Set(unusual);

function isKnown(name: string): name is (typeof known)[number] {
  return KNOWN.has(name);
}

/** The head (request line and headers) of a request that was parsed without node:http. */
export interface PlainHead {
  method: string;
  headers: Readonly<Headers>;
  /** Size of the request head in bytes, including the empty line at its end. */
  length: number;
  bodyLength: number;
}

/** A plain request: it arrived completely and was simple enough to be parsed without node:http. */
export class PlainRequest {
  readonly complete = true;
  readonly socket: Socket;
  /** The complete body of the request. Empty if the request has no body. */
  readonly body: Buffer;
  readonly #head: PlainHead;

  constructor(socket: Socket, head: PlainHead, body: Buffer) {
    this.socket = socket;
    this.#head = head;
    this.body = body;
  }

  get method(): string {
    return this.#head.method;
  }

  get headers(): Readonly<Headers> {
    return this.#head.headers;
  }
}

const MAX_HEAD_BYTES = 8 * 1024;
/**
 * Maximum size of the body of a plain request in bytes. Requests with a longer body are parsed by node:http, because it
 * can read the body as a stream.
 */
const MAX_BODY_BYTES = 64 * 1024;
const MAX_HEADERS = 100;
const HEAD_END = '\r\n\r\n';
/**
 * Matches header lines of the usual form: names of letters, digits and hyphens, and values of printable ASCII. RFC
 * 9112, 5 also allows other names and values; node:http parses requests with these.
 */
const HEADERS = /^(?:[A-Za-z0-9-]+:[\t -~]*\r\n)+$/;
/**
 * Matches a usual value of Content-Length: digits, perhaps after one space. node:http parses requests with any other
 * value, because it depends on the Node release which whitespace is valid in the value.
 */
const LENGTH = /^ ?\d{1,6}$/;

/**
 * Parses the headers of an HTTP/1.1 request (RFC 9112). `start`: index after the request line. Returns undefined if
 * node:http must parse the request, because something in it is unusual.
 */
export function readPlainHead(method: string, bytes: Buffer, start: number): PlainHead | undefined {
  const headEnd = bytes.indexOf(HEAD_END, start - 2, 'latin1');
  if (headEnd < start || headEnd > MAX_HEAD_BYTES) return undefined;
  const text = bytes.toString('latin1', start, headEnd + 2);
  if (!HEADERS.test(text)) return undefined;
  const headers: Headers = {};
  let lines = 0;
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at);
    const end = text.indexOf('\r\n', colon);
    const name = text.slice(at, colon).toLowerCase();
    at = end + 2;
    if (++lines > MAX_HEADERS || UNUSUAL.has(name)) return undefined;
    if (!isKnown(name)) continue;
    const value = text.slice(colon + 1, end);
    if (headers[name] !== undefined || (name === 'content-length' && !LENGTH.test(value))) return undefined;
    headers[name] = value.trim();
  }
  const { host, connection = 'keep-alive', 'content-length': length } = headers;
  if (host === undefined || connection.toLowerCase() !== 'keep-alive') return undefined;
  if (length !== undefined && method === 'GET') return undefined;
  const bodyLength = Number(length ?? 0);
  if (bodyLength > MAX_BODY_BYTES) return undefined;
  return { method, headers, length: headEnd + HEAD_END.length, bodyLength };
}
