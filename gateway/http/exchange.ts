import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CallAccount } from '../../proto/generated/codec/fetch.ts';
import type { ReasonCode } from '../../proto/reasons.ts';
import { isRequestId } from '../../proto/request-id.ts';
import { PlainRequest, type RequestHeader } from './plain-request.ts';

/** An HTTP request. A plain (simple) request was parsed by PlainConnection, and any other request by node:http. */
export type Request = IncomingMessage | PlainRequest;

/**
 * The response object to which an answer is written. It has only the members of Node's ServerResponse that the gateway
 * uses.
 */
export interface Response {
  readonly destroyed: boolean;
  /** True if the connection stays open for another request after this answer. */
  readonly shouldKeepAlive: boolean;
  /** True if `end` was called, so that the answer is complete. */
  readonly writableEnded: boolean;
  /** Number of bytes of the answer that the operating system has not accepted yet. */
  readonly writableLength: number;
  writeHead(status: number, headers: Record<string, string>): this;
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): unknown;
  destroy(): unknown;
}

/** The parts of a request's URL that vary between requests of a route: the variables in the path, and the query. */
export interface Target {
  /** Decoded value of each variable in the path, keyed by the name of the variable. */
  readonly variables: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** The target of a request whose URL is exactly the path of a route: no variables and no query. */
export const NO_TARGET: Target = { variables: {}, query: new URLSearchParams() };

/** One request to the gateway, with its id and the headers of its answer. */
export interface Exchange {
  readonly request: Request;
  readonly target: Target;
  /** The X-Request-Id of the caller if it is valid, or else a new id. */
  readonly id: string;
  /** The headers of the answer to the request. They are sent with a success and with an error. */
  readonly headers: Record<string, string>;
  /** True if the answer to the request is logged even if it is a success. */
  isSampled: boolean;
  /**
   * Data that the core has sent for the log line of this request, such as the id of the caller's token. Null if the
   * core has sent none.
   */
  account: CallAccount | null;
}

/** The answer to a request. Errors are not returned in this form, but thrown as ServiceError. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Body of the reply. It is JSON in UTF-8 if `headers` has no Content-Type. Absent if the reply is a stream, or if its
   * status allows no body.
   */
  readonly body?: Buffer;
  /** True if gzip would not make the body smaller, for example because it is a PNG image. */
  readonly isCompressed?: boolean;
  /** True if `body` is compressed with gzip. Set it only if the caller accepts gzip. */
  readonly encoded?: boolean;
  /**
   * Returns the body compressed with gzip. Called only if the caller accepts gzip. If an answer lacks this function,
   * `sendReply` compresses the body.
   */
  readonly gzipped?: () => Buffer | Promise<Buffer>;
  /**
   * True if a warning in the log already describes the cause of this answer. The answer is then logged with the level
   * `info`, not as a warning.
   */
  readonly logged?: true;
  /** The code of an error. Absent if the answer is a success. */
  readonly code?: ReasonCode;
  /**
   * Function that writes the body of a streamed reply and then ends the response. `sendReply` calls it after writing
   * the head.
   */
  readonly stream?: (response: Response) => void;
}

/**
 * The security headers of every answer. Strict-Transport-Security is missing, because browsers ignore it over plain
 * HTTP (RFC 6797, 8.1). A proxy that terminates TLS must add it.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

/**
 * Returns the value of a header, or an empty string if it is absent. The values of several header lines with the same
 * name are joined to a list (RFC 9110, 5.3).
 */
export function headerOf(request: Request, name: RequestHeader): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

/**
 * Returns the node:http request of an exchange. Throws an Error if the request was parsed without node:http (a plain
 * request). Use it only in endpoints that do not accept plain requests.
 */
export function incomingOf({ request }: Exchange): IncomingMessage {
  if (request instanceof PlainRequest) throw new Error('this endpoint does not accept plain requests');
  return request;
}

/** Creates the Exchange of a request: the request, its id, and the headers that every answer has. */
export function createExchange(request: Request, target: Target = NO_TARGET): Exchange {
  const given = headerOf(request, 'x-request-id');
  const id = given !== '' && isRequestId(given) ? given : randomUUID();
  return {
    request,
    target,
    id,
    headers: { 'X-Request-Id': id, Vary: 'Accept-Encoding', ...securityHeaders },
    isSampled: false,
    account: null,
  };
}
