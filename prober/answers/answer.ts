import type { RawStatus } from './raw-status.ts';

/** An address literal, as the kernel writes it, and a port. Nothing in this folder resolves names. */
export interface Endpoint {
  address: string;
  port: number;
}

/** How asking one port of one server once ended. */
export type Answer =
  /** `ping` is the first round trip in ms. */
  { kind: 'online'; status: RawStatus; ping: number } | Failure;

/** An answer without a status. `detail` is for people. */
export type Failure =
  | { kind: 'silent'; detail: string }
  | { kind: 'malformed'; detail: string }
  | { kind: 'refused'; detail: string }
  /** Asking failed on our side; says nothing about the server. */
  | { kind: 'fault'; detail: string }
  | Unknowable;

/** Whoever knows about the server did not tell; says nothing about the server. */
export interface Unknowable {
  kind:
    | 'needs-credentials'
    | 'needs-option'
    /** A directory or an API did not answer, or not with sense: 429, 5xx, silence, garbage. */
    | 'directory-unavailable'
    /** A directory refuses us, or its owner objects and the operator did not opt in. */
    | 'directory-refused'
    /** A directory answered and does not know the server. */
    | 'not-listed'
    /** Our own limits towards a directory put the question off. */
    | 'paced';
  detail: string;
  /** When asking again can make a difference, in ms from now; absent where nobody said. */
  retryAfterMs?: number;
}

/** The budgets of an address, its network or all had no room for too long. */
export const NO_ROOM: Answer = { kind: 'fault', detail: 'no room for a packet' };

/** Codes of a peer or a path that says no; anything unlisted is our own trouble. */
const CONNECTION_FAILURES: Readonly<Record<string, 'refused' | 'silent'>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'refused',
  EPIPE: 'refused',
  ETIMEDOUT: 'silent',
  EHOSTUNREACH: 'silent',
};

/** What a TCP connection that failed with this code says about the server. */
export function connectionFailure(code: string): Failure {
  const kind = CONNECTION_FAILURES[code];
  return kind ? { kind, detail: code } : { kind: 'fault', detail: `cannot connect: ${code}` };
}

/** What went wrong with a socket: its code where it has one. */
export function errorDetail(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
