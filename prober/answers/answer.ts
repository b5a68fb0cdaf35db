import type { RawStatus } from './raw-status.ts';

/**
 * The IP address literal and port of a game server, the address as the kernel writes it. The prober never
 * resolves names from here on.
 */
export interface Endpoint {
  address: string;
  port: number;
}

/** The result of asking one port of one server once. */
export type Answer =
  /** `ping`: the first round trip, in ms. */
  { kind: 'online'; status: RawStatus; ping: number } | Failure;

/** An answer that holds no status. `detail` is a text for people. */
export type Failure =
  | { kind: 'silent'; detail: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'refused'; detail: string }
  /** The prober itself failed, so the answer says nothing about the server. */
  | { kind: 'fault'; detail: string }
  | Unknowable;

/**
 * A directory or a missing credential kept us from learning the status, so the answer says nothing about the
 * server.
 */
export interface Unknowable {
  kind:
    | 'needs-credentials'
    | 'needs-option'
    /** The directory or API did not answer usefully: 429, 5xx, silence or garbage. */
    | 'directory-unavailable'
    /** The directory refuses us, or its owner objects to queries and the operator did not opt in. */
    | 'directory-refused'
    /** The directory answered, and it does not list the server. */
    | 'not-listed'
    /** Our own rate limit for the directory postponed the request. */
    | 'paced';
  detail: string;
  /** Milliseconds until asking again can help; absent if nobody gave a time. */
  retryAfterMs?: number;
}

/**
 * The answer if the rate limits of an address, its network or the prober left no room for a packet for too
 * long.
 */
export const NO_ROOM: Answer = { kind: 'fault', detail: 'no room for a packet' };

/** Error codes that a peer or the network causes. The prober itself causes every code not listed here. */
const CONNECTION_FAILURES: Readonly<Record<string, 'refused' | 'silent'>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  EPIPE: 'refused',
  ETIMEDOUT: 'silent',
  EHOSTUNREACH: 'silent',
};

/** Turns the error code of a failed TCP connection into an answer about the server. */
export function connectionFailure(code: string): Failure {
  const kind = CONNECTION_FAILURES[code];
  return kind ? { kind, detail: code } : { kind: 'fault', detail: `cannot connect: ${code}` };
}

/** The code of a socket error, or its message if it has no code. */
export function errorDetail(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
