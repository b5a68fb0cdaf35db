import { BlockList, isIP } from 'node:net';
import { unmapIPv4 } from '../../net/ipv6.ts';

/**
 * True if `ip` equals one of the addresses in `ranges` or lies in one of its CIDR ranges. A malformed range matches no
 * address.
 */
export function withinRanges(ip: string, ranges: readonly string[]): boolean {
  const plain = unmapIPv4(ip);
  const family = isIP(plain);
  if (family === 0) return false;
  const list = new BlockList();
  for (const range of ranges) {
    const parsed = parseRange(range);
    if (parsed) list.addSubnet(parsed.network, parsed.bits, parsed.family);
  }
  return list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}

/** Parses an IP address or a CIDR range. Returns undefined if the text has neither form. */
export function parseRange(
  text: string,
): { network: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const network = match?.[1] ?? '';
  const version = isIP(network);
  const widest = version === 6 ? 128 : 32;
  const bits = match?.[2] === undefined ? widest : Number(match[2]);
  // Refuses an IPv6 address with a zone, such as `fe80::1%eth0`. A zone identifies a network interface of one machine,
  // so it is useless in an allow-list.
  if (version === 0 || bits > widest || network.includes('%')) return undefined;
  return { network, bits, family: version === 6 ? 'ipv6' : 'ipv4' };
}

/** True if the host name equals one of the domains or is a subdomain of one of them. */
export function withinDomains(host: string, domains: readonly string[]): boolean {
  const name = host.toLowerCase();
  return domains.some(domain => name === domain || name.endsWith(`.${domain}`));
}
