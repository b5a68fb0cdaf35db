import { expandIPv6, plainIP } from './ipv6.ts';

/**
 * Returns the network of a canonical IP literal: the first 24 bits of IPv4 (`1.2.3`) or the first 48 bits of IPv6
 * (`2001:db8:0`).
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip.slice(0, ip.lastIndexOf('.'));
  const groups = expandIPv6(ip);
  return `${groups[0]}:${groups[1]}:${groups[2]}`;
}

/**
 * Returns the key of a remote address for limits: all addresses with the same key share one limit. For IPv6, the key is
 * only the first 64 bits, because one machine can use a whole /64.
 */
export function limitKeyOf(address: string): string {
  const ip = plainIP(address);
  return ip.includes(':') ? expandIPv6(ip).slice(0, 4).join(':') : ip;
}

/**
 * Returns true if an IP address is not a loopback address, so it normally belongs to another machine. The address must
 * be a result of `plainIP`. Loopback addresses are usually exempt from limits, because a proxy on this machine can send
 * the requests of many callers from a loopback address.
 */
export function isRemote(ip: string): boolean {
  return !ip.startsWith('127.') && ip !== '::1';
}
