import { status } from '@grpc/grpc-js';

interface Reason {
  /** HTTP status of REST answers with this error code. */
  readonly http: number;
  /** gRPC status of calls that fail with this error code. */
  readonly grpc: status;
  /** Description of the cause of the error, for docs/errors.md. */
  readonly when: string;
}

/**
 * Every error code that callers can see. In REST it is the `error` of the body, in gRPC the `reason` of the
 * google.rpc.ErrorInfo. The meaning of a code never changes, because callers depend on it.
 */
export const reasons = {
  GET_1: {
    http: 405,
    grpc: status.UNIMPLEMENTED,
    when: 'The catalog was requested with a method other than GET.',
  },
  POST_1: {
    http: 405,
    grpc: status.UNIMPLEMENTED,
    when: 'The fetch was requested with a method other than POST.',
  },
  POST_2: {
    http: 400,
    grpc: status.INVALID_ARGUMENT,
    when: 'The body is not JSON, or does not have the right shape.',
  },
  POST_3: {
    http: 400,
    grpc: status.INVALID_ARGUMENT,
    when: 'The request names more than 1000 addresses in all its groups.',
  },
  POST_4: { http: 415, grpc: status.INVALID_ARGUMENT, when: 'The Content-Type is not application/json.' },
  POST_5: {
    http: 413,
    grpc: status.RESOURCE_EXHAUSTED,
    when: 'The body, as sent or decompressed, or a message of a gRPC call is larger than 1 MiB.',
  },
  AUTH_1: { http: 401, grpc: status.UNAUTHENTICATED, when: 'The token header is missing.' },
  AUTH_2: { http: 401, grpc: status.UNAUTHENTICATED, when: 'The token type is not FREE or PRO.' },
  AUTH_3: {
    http: 401,
    grpc: status.UNAUTHENTICATED,
    when: 'The token is unknown, revoked or expired, or its type or e-mail is wrong; the error does not say which.',
  },
  AUTH_4: {
    http: 403,
    grpc: status.PERMISSION_DENIED,
    when: 'An allow-list of the token excludes the caller.',
  },
  AUTH_5: {
    http: 403,
    grpc: status.UNAUTHENTICATED,
    when: 'A call to the internal port did not have the shared secret.',
  },
  QUOTA_1: {
    http: 429,
    grpc: status.RESOURCE_EXHAUSTED,
    when: 'The quota of the rolling 24 hours is used up.',
  },
  RATE_1: {
    http: 429,
    grpc: status.RESOURCE_EXHAUSTED,
    when: 'Too many requests came within one second, or a token or an address has too many streams of changes.',
  },
  QUERY_1: {
    http: 400,
    grpc: status.INVALID_ARGUMENT,
    when: 'A parameter of the request is not valid.',
  },
  SERVER_1: {
    http: 404,
    grpc: status.NOT_FOUND,
    when: 'gsq does not track the server, or the token cannot see it.',
  },
  HOOK_1: { http: 404, grpc: status.NOT_FOUND, when: 'The token has no such webhook.' },
  HOOK_2: {
    http: 429,
    grpc: status.RESOURCE_EXHAUSTED,
    when: 'The token has as many webhooks as it may have.',
  },
  ROUTE_2: {
    http: 405,
    grpc: status.UNIMPLEMENTED,
    when: 'The path exists, but not with this HTTP method.',
  },
  ROUTE_1: {
    http: 404,
    grpc: status.UNIMPLEMENTED,
    when: 'The gateway has no such path, or the gRPC port has no such method.',
  },
  HTTP_1: {
    http: 400,
    grpc: status.INVALID_ARGUMENT,
    when: 'The request is not valid HTTP; 408 if the request is too slow, 413 or 431 if a part is too large.',
  },
  GRPC_1: {
    http: 400,
    grpc: status.INVALID_ARGUMENT,
    when: 'A gRPC call has an invalid message, the wrong number of messages, or an invalid `grpc-timeout`.',
  },
  GRPC_2: { http: 415, grpc: status.UNIMPLEMENTED, when: 'The messages of a gRPC call are compressed.' },
  GRPC_3: {
    http: 408,
    grpc: status.DEADLINE_EXCEEDED,
    when: 'The next message of a gRPC call did not arrive in time.',
  },
  GRPC_4: {
    http: 404,
    grpc: status.NOT_FOUND,
    when: 'A health check names a service that the gRPC port does not have.',
  },
  ADMIN_1: {
    http: 400,
    grpc: status.INVALID_ARGUMENT,
    when: 'An argument of an operator call is not valid.',
  },
  ADMIN_2: { http: 404, grpc: status.NOT_FOUND, when: 'An operator call names a token that does not exist.' },
  CORE_1: {
    http: 503,
    grpc: status.UNAVAILABLE,
    when: 'The core cannot be reached or cannot take more work, or a stream of changes was not read.',
  },
  CORE_2: { http: 504, grpc: status.DEADLINE_EXCEEDED, when: 'The core did not answer in time.' },
  INTERNAL_1: { http: 500, grpc: status.INTERNAL, when: 'The service has a defect; the log has the cause.' },
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof reasons;

export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(reasons, text);
}
