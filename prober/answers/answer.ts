import type { RawStatus } from './raw-status.ts';

/**
 * IP address and port of a game server. The address is a literal in the notation of the kernel, so no DNS look-up is
 * needed any more.
 */
export interface Endpoint {
  address: string;
  port: number;
}

/** Result of one query to one port of a server. */
export type Answer =
  /** The server is online. `ping` is the duration of the first round trip, ms. */
  { kind: 'online'; status: RawStatus; ping: number } | Failure;

/** Result of a query that found no status. `detail` is an explanation for people. */
export type Failure =
  | { kind: 'silent'; detail: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'refused'; detail: string }
  /** The prober itself failed, so the result proves nothing about the server. */
  | { kind: 'fault'; detail: string }
  | Unknowable;

/**
 * Result of a query that could not find out the status, because of a directory or because of a missing secret or
 * option. Such a result proves nothing about the server.
 */
export interface Unknowable {
  kind:
    | 'needs-credentials'
    | 'needs-option'
    /** The directory or HTTP API did not answer, or it sent a 429, a 5xx or a body that cannot be parsed. */
    | 'directory-unavailable'
    /** The directory refuses requests of gsq, or its owner objects to such requests and the operator did not opt in. */
    | 'directory-refused'
    /** The directory answered, but its answer does not contain the server. */
    | 'not-listed'
    /** The prober's own rate limit for the directory postponed the request. */
    | 'paced';
  detail: string;
  /** Milliseconds after which a new query can succeed; absent if this time is unknown. */
  retryAfterMs?: number;
}

/**
 * Result of a query whose packet was not sent, because the rate limit of its address, its network or the prober allowed
 * no packet for too long.
 */
export const NO_ROOM: Answer = { kind: 'fault', detail: 'no room for a packet' };

/** Socket error codes that the server or the network causes. Any other code counts as a fault of the prober itself. */
const CONNECTION_FAILURES: Readonly<Record<string, 'refused' | 'silent'>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  EPIPE: 'refused',
  ETIMEDOUT: 'silent',
  EHOSTUNREACH: 'silent',
};

/** Converts the error code of a failed TCP connection into the result of the query. */
export function connectionFailure(code: string): Failure {
  const kind = CONNECTION_FAILURES[code];
  return kind ? { kind, detail: code } : { kind: 'fault', detail: `cannot connect: ${code}` };
}

/** Returns the code of a socket error, or its message if the error has no code. */
export function errorDetail(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
