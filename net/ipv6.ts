import { isIPv6 } from 'node:net';

const GROUPS = 8;

/**
 * Splits an IPv6 literal without a zone into its eight groups, with `0` for groups that `::` leaves out. Does not
 * change leading zeros or case. The caller must check that the text is an IPv6 literal.
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

/**
 * Quick first test: matches every IPv4-mapped IPv6 literal, but also some other strings. Only strings that match are
 * then split into eight groups, which is slow.
 */
const MAYBE_MAPPED = /^[0:]+:ffff:/i;

/**
 * Returns the IPv4 address of an IPv4-mapped IPv6 literal in any spelling (`::ffff:1.2.3.4`, `::ffff:102:304`; RFC
 * 4291, 2.5.5.2). Returns any other text unchanged.
 */
export function unmapIPv4(ip: string): string {
  if (!MAYBE_MAPPED.test(ip) || !isIPv6(ip)) return ip;
  const groups = expandIPv6(ip).map(group => Number.parseInt(group, 16));
  const [high = 0, low = 0] = groups.slice(-2);
  if (groups[5] !== 0xffff || groups.slice(0, 5).some(group => group !== 0)) return ip;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Returns true if an IPv6 literal contains an IPv4 address (`::ffff:1.2.3.4`), in any spelling. */
export function isMappedIPv4(ip: string): boolean {
  return unmapIPv4(ip) !== ip;
}

/**
 * Returns an IP literal without its zone (`%eth0`). Returns an IPv4 address if the literal is IPv4-mapped. Used for
 * addresses from sockets and proxies.
 */
export function plainIP(ip: string): string {
  const zone = ip.indexOf('%');
  return unmapIPv4(zone < 0 ? ip : ip.slice(0, zone));
}
