import type { RawStatus } from './raw-status.ts';

/** IP address and port of a game server. `address` is an IP literal in canonical form, never a host name. */
export interface Endpoint {
  address: string;
  port: number;
}

/** Result of one query to one port of a server. */
export type Answer =
  /**
   * The game server is online. `ping` is the duration of the first round trip to it, ms. `isMute`: true if no datagram
   * arrived after the last request over UDP, although an earlier reply contained the status.
   */
  { kind: 'online'; status: RawStatus; ping: number; isMute?: boolean } | Failure;

/** Result of a query that got the status of the game server. */
export type OnlineAnswer = Extract<Answer, { kind: 'online' }>;

/** Result of a query that did not get the status of the game server. `detail` explains the failure to the operator. */
export type Failure =
  | { kind: 'silent'; detail: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'refused'; detail: string }
  /** The prober itself failed, so the result proves nothing about the server. */
  | { kind: 'fault'; detail: string }
  | Unknowable;

/**
 * Failure that proves nothing about whether the server is online. Examples: the public server list of the game is
 * unavailable, or a secret or an option is missing.
 */
export interface Unknowable {
  kind:
    | 'needs-credentials'
    | 'needs-option'
    /**
     * The public server list or HTTP API did not answer, answered with status 429 or 5xx, or sent a body that cannot be
     * parsed.
     */
    | 'directory-unavailable'
    /**
     * The public server list of the game refuses the requests of gsq, or gsq sends none because the owner of the list
     * objects.
     */
    | 'directory-refused'
    /** The public server list answered, but does not contain the server. */
    | 'not-listed'
    /**
     * The request was postponed. Either the prober's own rate limit for a public server list is reached, or a game
     * server limits queries.
     */
    | 'paced';
  detail: string;
  /**
   * Time to wait before the next query of the server, milliseconds. A query before that would fail with the same
   * `kind`. Absent if the time is unknown.
   */
  retryAfterMs?: number;
}

/**
 * Result of a query whose packet could not be sent in time: the rate limit of the address, of the network or of the
 * whole prober allowed no packet.
 */
export const NO_ROOM: Answer = { kind: 'fault', detail: 'no room for a packet' };

/**
 * Socket error codes that mean a failure of the server or the network, with the kind of the failure. Any other code
 * counts as a failure of the prober itself.
 */
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
