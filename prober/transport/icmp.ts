import { getSystemErrorName } from 'node:util';

/** What struct sock_extended_err of Linux says of an error. */
export interface ExtendedError {
  errno: number;
  /** Who made it: `ORIGIN`, or this machine itself. */
  origin: number;
  /** Of the ICMP message. */
  type: number;
  code: number;
}

const ORIGIN = { icmp: 2, icmp6: 3 } as const;
/** Type of "destination unreachable". */
const UNREACHABLE = { icmp: 3, icmp6: 1 } as const;

/**
 * Codes of "destination unreachable" that say no server was reached. Left out are those about the packet or its sender: too
 * large, source route, source isolated, precedence. RFC 792; RFC 1812 section 5.2.7.1.
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

/** The same for IPv6; left out are scope, policy and routing header of the sender. RFC 4443 section 3.1. */
const V6_CODES: ReadonlySet<number> = new Set([
  0, // no route
  1, // prohibited
  3, // address
  4, // port
  6, // route that rejects
]);

/** What a connected socket's `recv` fails with after a reject. */
const REJECT_ERRORS: ReadonlySet<string> = new Set([
  'EACCES',
  'ECONNREFUSED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOPROTOOPT',
]);

/** What `recv` fails with after any ICMP message. */
const ICMP_ERRORS: ReadonlySet<string> = new Set([
  ...REJECT_ERRORS,
  'EMSGSIZE',
  'ENONET',
  'EOPNOTSUPP',
  'EPROTO',
]);

/** By number. The kernel knows six for rejects, and one object does for all of a kind: making one takes microseconds. */
const errors = new Map<number, Error>();

/** The error, with its code, of a reject by an ICMP message; undefined if it is anything else. */
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

/** Whether this code of an error of a connected socket's `recv` tells of a reject. */
export function isRejectCode(code: string): boolean {
  return REJECT_ERRORS.has(code);
}

/** Whether this code of an error of `recv` may tell of an ICMP message. */
export function isIcmpCode(code: string): boolean {
  return ICMP_ERRORS.has(code);
}
