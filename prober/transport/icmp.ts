import { getSystemErrorName } from 'node:util';

/** The fields of struct sock_extended_err of Linux, which describes an error in the error queue of a socket. */
export interface ExtendedError {
  errno: number;
  /**
   * Origin of the error. If the error is an ICMP message, the origin is a value in `ORIGIN`. Any other value means that
   * this machine itself created the error.
   */
  origin: number;
  /** Type of the ICMP message. */
  type: number;
  code: number;
}

const ORIGIN = { icmp: 2, icmp6: 3 } as const;
/** Type number of the ICMP message "destination unreachable". */
const UNREACHABLE = { icmp: 3, icmp6: 1 } as const;

/**
 * Codes of the ICMP message "destination unreachable" for packets that reached no server. Codes for errors of the
 * packet or of its sender are left out. Source: RFC 792, and RFC 1812 section 5.2.7.1.
 */
const V4_CODES: ReadonlySet<number> = new Set([
  0, // network unreachable
  1, // host unreachable
  2, // protocol unreachable
  3, // port unreachable
  6, // network unknown
  7, // host unknown
  9, // network prohibited
  10, // host prohibited
  11, // network unreachable for the type of service
  12, // host unreachable for the type of service
  13, // communication prohibited by a filter
]);

/**
 * Codes of the ICMPv6 message "destination unreachable" for packets that reached no server. The codes 2, 5 and 7 are
 * left out, because they report an error of the sender. Source: RFC 4443 section 3.1.
 */
const V6_CODES: ReadonlySet<number> = new Set([
  0, // no route to the destination
  1, // communication prohibited
  3, // address unreachable
  4, // port unreachable
  6, // the route rejects packets
]);

/** After an ICMP message rejects a packet, `recv` on a connected socket fails with one of these error codes. */
const REJECT_ERRORS: ReadonlySet<string> = new Set([
  'EACCES',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOPROTOOPT',
]);

/** All error codes with which `recv` can fail after an ICMP message, even if the message rejected no packet. */
const ICMP_ERRORS: ReadonlySet<string> = new Set([
  ...REJECT_ERRORS,
  'EMSGSIZE',
  'ENONET',
  'EOPNOTSUPP',
  'EPROTO',
]);

/**
 * Error objects for rejected packets, keyed by error number. They are reused, which saves some microseconds per ICMP
 * message. The kernel uses only six error numbers.
 */
const errors = new Map<number, Error>();

/**
 * Converts an ICMP message that rejects a packet into an error with an error code. Returns undefined for all other
 * messages.
 */
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

/** Returns true if this error code of `recv` on a connected socket means that an ICMP message rejected a packet. */
export function isRejectCode(code: string): boolean {
  return REJECT_ERRORS.has(code);
}

/** Returns true if an ICMP message can cause this error code of `recv`. */
export function isIcmpCode(code: string): boolean {
  return ICMP_ERRORS.has(code);
}
