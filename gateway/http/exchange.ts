import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { PlainRequest, RequestHeader } from './plain-request.ts';

/** A request as node:http reads it, or one that needs no more than a PlainConnection. */
export type Request = IncomingMessage | PlainRequest;

/** What a request is answered on: a part of node's ServerResponse. */
export interface Response {
  readonly destroyed: boolean;
  /** Whether the connection stays open for another request. */
  readonly shouldKeepAlive: boolean;
  /** Whether `end` was called. */
  readonly writableEnded: boolean;
  /** Bytes of the answer that the kernel has not taken. */
  readonly writableLength: number;
  writeHead(status: number, headers: Record<string, string>): this;
  write(bytes: Buffer): boolean;
  end(bytes?: Buffer): unknown;
  destroy(): unknown;
}

/** One request on its way to an answer. */
export interface Exchange {
  readonly request: Request;
  /** The caller's X-Request-Id where it is sane, else a new one. */
  readonly id: string;
  /** Headers that go with the answer, whether it turns out a success or an error. */
  readonly headers: Record<string, string>;
}

/** What answers an exchange; errors are thrown as ServiceError. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON, UTF-8; absent only where HTTP allows no body. */
  readonly body?: Buffer;
  /** Whether the body is gzip already, which only a caller who takes it is to be given. */
  readonly encoded?: boolean;
  /** Gives the body compressed, for callers that take it so; absent: it is compressed as any other. */
  readonly gzipped?: () => Buffer | Promise<Buffer>;
  /** A failure the log has told of already. */
  readonly logged?: true;
}

/**
 * What every answer tells browsers: it is what its type says, never a page to show, frame or run, and whoever follows an
 * address in it tells nobody where from. No Strict-Transport-Security: the gateway speaks plain HTTP, where browsers must
 * ignore it (RFC 6797, 8.1); the proxy that speaks TLS adds it.
 */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;

const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** The value of a header; several header lines read as one list (RFC 9110, 5.3). Empty where there is none. */
export function headerOf(request: Request, name: RequestHeader): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : (value?.join(', ') ?? '');
}

export function createExchange(request: Request): Exchange {
  const given = headerOf(request, 'x-request-id');
  const id = given !== '' && SANE_ID.test(given) ? given : randomUUID();
  return { request, id, headers: { 'X-Request-Id': id, Vary: 'Accept-Encoding', ...securityHeaders } };
}
