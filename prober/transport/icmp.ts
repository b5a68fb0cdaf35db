import { getSystemErrorName } from 'node:util';

/** The fields of Linux's struct sock_extended_err. */
export interface ExtendedError {
  errno: number;
  /** Who made the error: one of `ORIGIN`, or this machine. */
  origin: number;
  /** Type of the ICMP message. */
  type: number;
  code: number;
}

const ORIGIN = { icmp: 2, icmp6: 3 } as const;
/** The ICMP type "destination unreachable". */
const UNREACHABLE = { icmp: 3, icmp6: 1 } as const;

/**
 * Codes of "destination unreachable" that mean that no server was reached. Codes about the packet or its
 * sender are left out: too large, source route, source isolated, precedence. RFC 792; RFC 1812 section
 * 5.2.7.1.
 */
const V4_CODES: ReadonlySet<number> = new Set([
  0, // network
  1, // host
  2, // protocol
  3, // port
  6, // network unknown
  7, // host unknown
  9, // network prohibited
  10, // host prohibited
  11, // network, for this type of service
  12, // host, for this type of service
  13, // filtered
]);

/**
 * The same codes for IPv6. Scope, policy and routing header of the sender are left out. RFC 4443 section 3.1.
 */
const V6_CODES: ReadonlySet<number> = new Set([
  0, // no route
  1, // prohibited
  3, // address
  4, // port
  6, // route that rejects
]);

/** Errors that `recv` of a connected socket reports after a reject. */
const REJECT_ERRORS: ReadonlySet<string> = new Set([
  'EACCES',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOPROTOOPT',
]);

/** Errors that `recv` reports after any ICMP message. */
const ICMP_ERRORS: ReadonlySet<string> = new Set([
  ...REJECT_ERRORS,
  'EMSGSIZE',
  'ENONET',
  'EOPNOTSUPP',
  'EPROTO',
]);

/**
 * Error objects by error number. The kernel knows six for rejects; reusing one saves the microseconds of
 * making it.
 */
const errors = new Map<number, Error>();

/** The error for an ICMP message that rejects a packet, with its code; undefined for anything else. */
export function rejectError({ errno, origin, type, code }: ExtendedError): Error | undefined {
  const rejects =
    (origin === ORIGIN.icmp && type === UNREACHABLE.icmp && V4_CODES.has(code)) ||
    (origin === ORIGIN.icmp6 && type === UNREACHABLE.icmp6 && V6_CODES.has(code));
  if (!rejects) return undefined;
  let error = errors.get(errno);
  if (!error) {
    const name = getSystemErrorName(-errno);
    error = Object.assign(new Error(name), { code: name });
    errors.set(errno, error);
  }
  return error;
}

/** True if this error code of a connected socket's `recv` means a reject. */
export function isRejectCode(code: string): boolean {
  return REJECT_ERRORS.has(code);
}

/** True if this error code of `recv` may come from an ICMP message. */
export function isIcmpCode(code: string): boolean {
  return ICMP_ERRORS.has(code);
}
