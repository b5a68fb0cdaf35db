import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PlainRequest, RequestHeader } from './plain-request.ts';

/** A request: read by node:http, or by a PlainConnection if it is plain. */
export type Request = IncomingMessage | PlainRequest;

/** The response to write an answer to: the members of Node's ServerResponse that are used here. */
export interface Response {
  readonly destroyed: boolean;
  /** Whether the connection stays open for another request. */
  readonly shouldKeepAlive: boolean;
  /** Whether `end` was called. */
  readonly writableEnded: boolean;
  /** Bytes of the answer that the kernel has not accepted. */
  readonly writableLength: number;
  writeHead(status: number, headers: Record<string, string>): this;
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): unknown;
  destroy(): unknown;
}

/** One request, with what is known of its answer. */
export interface Exchange {
  readonly request: Request;
  /** The caller's X-Request-Id if it is valid, else a new one. */
  readonly id: string;
  /** Headers of the answer, whether it is a success or an error. */
  readonly headers: Record<string, string>;
}

/** The answer to an exchange; errors are thrown as ServiceError. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON in UTF-8; absent only if HTTP allows no body. */
  readonly body?: Buffer;
  /** Whether the body is gzip already, because the caller accepts gzip. */
  readonly encoded?: boolean;
  /** Returns the compressed body, called if the caller accepts gzip; absent: `sendReply` compresses the body. */
  readonly gzipped?: () => Buffer | Promise<Buffer>;
  /** Whether the failure is logged already. */
  readonly logged?: true;
}

/**
 * The security headers of every answer: browsers must not guess its type, run or frame it, or send a Referer from it.
 * There is no Strict-Transport-Security, which browsers ignore over plain HTTP (RFC 6797, 8.1); the proxy that terminates
 * TLS adds it.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

const VALID_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The value of a header, empty if it is absent; several lines of one header are joined to a list (RFC 9110, 5.3). */
export function headerOf(request: Request, name: RequestHeader): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

/** Starts an exchange: gives the request its id and the answer the headers that every answer has. */
export function createExchange(request: Request): Exchange {
  const given = headerOf(request, 'x-request-id');
  const id = given !== '' && VALID_ID.test(given) ? given : randomUUID();
  return { request, id, headers: { 'X-Request-Id': id, Vary: 'Accept-Encoding', ...securityHeaders } };
}
