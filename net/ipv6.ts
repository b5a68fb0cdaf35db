import { isIPv6 } from 'node:net';

const GROUPS = 8;

/**
 * The eight groups of an IPv6 literal without a zone, as written: leading zeros and case stay. Groups that `::` leaves
 * out are `0`; IPv4 at the end becomes two groups in hexadecimal. Any other text gives meaningless groups.
 */
export function expandIPv6(ip: string): string[] {
  const gap = ip.indexOf('::');
  if (gap < 0) return groupsOf(ip);
  const head = groupsOf(ip.slice(0, gap));
  const tail = groupsOf(ip.slice(gap + 2));
  while (head.length + tail.length < GROUPS) head.push('0');
  return head.concat(tail);
}

function groupsOf(text: string): string[] {
  if (text === '') return [];
  const groups = text.split(':');
  const last = groups.at(-1) ?? '';
  if (last.includes('.')) {
    const [a = 0, b = 0, c = 0, d = 0] = last.split('.').map(Number);
    groups.splice(-1, 1, ((a << 8) | b).toString(16), ((c << 8) | d).toString(16));
  }
  return groups;
}

/** Matches every IPv4-mapped literal, and few others: spares those the expansion. */
const MAYBE_MAPPED = /^[0:]+:ffff:/i;

/**
 * The IPv4 address in an IPv4-mapped IPv6 literal, however written (`::ffff:1.2.3.4`, `::ffff:102:304`; RFC 4291,
 * 2.5.5.2). Returns any other text as it is.
 */
export function unmapIPv4(ip: string): string {
  if (!MAYBE_MAPPED.test(ip) || !isIPv6(ip)) return ip;
  const groups = expandIPv6(ip).map(group => Number.parseInt(group, 16));
  const [high = 0, low = 0] = groups.slice(-2);
  if (groups[5] !== 0xffff || groups.slice(0, 5).some(group => group !== 0)) return ip;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Whether an IPv6 literal is IPv4-mapped, however written. */
export function isMappedIPv4(ip: string): boolean {
  return unmapIPv4(ip) !== ip;
}

/** An IP literal as sockets and proxies give it, without its zone (`%eth0`), and unmapped if it is IPv4-mapped. */
export function plainIP(ip: string): string {
  const zone = ip.indexOf('%');
  return unmapIPv4(zone < 0 ? ip : ip.slice(0, zone));
}
