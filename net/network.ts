import { expandIPv6, plainIP } from './ipv6.ts';

/** The network of a canonical IP literal: the first 24 bits of IPv4 (`1.2.3`), the first 48 of IPv6 (`2001:db8:0`). */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip.slice(0, ip.lastIndexOf('.'));
  const groups = expandIPv6(ip);
  return `${groups[0]}:${groups[1]}:${groups[2]}`;
}

/**
 * The key under which a remote address is limited: an IPv4 address itself, the first 64 bits of an IPv6 address, because
 * one machine has the whole /64.
 */
export function limitKeyOf(address: string): string {
  const ip = plainIP(address);
  return ip.includes(':') ? expandIPv6(ip).slice(0, 4).join(':') : ip;
}

/** False for loopback, where a proxy or a load generator speaks for many callers. `ip` is plain (`plainIP`). */
export function isRemote(ip: string): boolean {
  return !ip.startsWith('127.') && ip !== '::1';
}
