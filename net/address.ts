import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { hostPort } from '../runtime/endpoint.ts';
import { unmapIPv4 } from './ipv6.ts';

/** A valid server address in canonical form, which is the same for all spellings of the address. */
export interface ServerAddress {
  kind: 'ipv4' | 'ipv6' | 'name';
  /**
   * The host: a dotted IPv4 address, a compressed lower-case IPv6 address without brackets, or a lower-case name
   * without a trailing dot.
   */
  host: string;
  port: number;
  /** The address as `host:port`, with IPv6 in brackets. gsq tracks the server under this key. */
  canonical: string;
}

/** Describes why a text is not a valid address. The message also says how to correct the text. */
export interface AddressFault {
  kind: 'malformed';
  message: string;
}

// Maximum length of a server address `host:port`, in characters: the longest host name (253), a colon and a port of 5
// digits.
const MAX_LENGTH = 259;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

function malformed(message: string): AddressFault {
  return { kind: 'malformed', message };
}

/**
 * Returns an IPv6 address in the compressed form of RFC 5952. If the address is IPv4-mapped, returns its IPv4 address
 * instead.
 */
function canonicalIPv6(text: string): { kind: 'ipv4' | 'ipv6'; host: string } {
  const compressed = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const host = unmapIPv4(compressed);
  return { kind: host === compressed ? 'ipv6' : 'ipv4', host };
}

/**
 * Returns the host name in lower-case ASCII. Returns undefined if the text is not a host name (RFC 1123, but
 * underscores are allowed).
 */
function canonicalName(text: string): string | undefined {
  // Refuses characters that no host name contains, because `domainToASCII` reads its input like a URL: it would drop a
  // path or a line feed, and decode `%41`.
  if (!/^[\w.\u0080-\uffff-]+$/.test(text)) return undefined;
  // Host names in ASCII are not passed to `domainToASCII`, because it would convert some of them to IPv4 addresses, for
  // example `0x7f.1`.
  const isAscii = /^[\x21-\x7e]+$/.test(text);
  const name = (isAscii ? text.toLowerCase() : domainToASCII(text)).replace(/\.$/, '');
  if (name === '' || name.length > 253) return undefined;
  const labels = name.split('.');
  if (!labels.every(label => LABEL.test(label))) return undefined;
  // A host name whose last label is a number is refused, because resolvers interpret the whole name as an IPv4 address.
  return /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '') ? undefined : name;
}

/** Splits a canonical address (see `parseAddress`) into its host, without brackets, and its port. */
export function splitCanonical(canonical: string): { host: string; port: number } {
  const colon = canonical.lastIndexOf(':');
  const isBracketed = canonical.startsWith('[');
  const host = isBracketed ? canonical.slice(1, colon - 1) : canonical.slice(0, colon);
  return { host, port: Number(canonical.slice(colon + 1)) };
}

/**
 * Parses an address of the form `<host_or_ip>:<port>` (SPEC, fetch request body). IPv6 must be in brackets, and the
 * port must be from 1 to 65535. Returns an AddressFault if the text is not valid. Never throws.
 */
export function parseAddress(text: string): ServerAddress | AddressFault {
  if (text.length > MAX_LENGTH) return malformed(`is longer than ${MAX_LENGTH} characters`);
  const colon = text.lastIndexOf(':');
  if (colon <= 0) return malformed('has no port; write host:port, such as 203.0.113.7:27015');
  const portText = text.slice(colon + 1);
  const port = Number(portText);
  if (!/^\d+$/.test(portText) || port < 1 || port > 65535) {
    return malformed('has no valid port; write a number from 1 to 65535 after the colon');
  }
  const hostText = text.slice(0, colon);
  const found = parseHost(hostText);
  if (found.kind === 'malformed') return found;
  return { ...found, port, canonical: hostPort(found.host, port) };
}

/** Parses the host of an address: IPv4, `[IPv6]` or a name. Never throws. */
function parseHost(text: string): { kind: 'ipv4' | 'ipv6' | 'name'; host: string } | AddressFault {
  if (isIPv4(text)) return { kind: 'ipv4', host: text };
  if (text.startsWith('[') && text.endsWith(']')) {
    const inner = text.slice(1, -1);
    if (!isIPv6(inner) || inner.includes('%')) return malformed('has no valid IPv6 address in its brackets');
    return canonicalIPv6(inner);
  }
  if (text.includes(':'))
    return malformed('is ambiguous; write an IPv6 address in brackets, as [2001:db8::1]:27015');
  if (/^[\d.]+$/.test(text))
    return malformed('looks like an IPv4 address but is not one; write four numbers from 0 to 255');
  const host = canonicalName(text);
  if (host === undefined) return malformed('has no valid host name');
  return { kind: 'name', host };
}
