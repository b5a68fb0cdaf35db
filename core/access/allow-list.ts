import { BlockList, isIP } from 'node:net';
import { unmapIPv4 } from '../../net/ipv6.ts';

/** Whether an IP address equals one of the addresses or lies in one of the CIDR ranges; malformed ranges match nothing. */
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

/** Parses an IP address or CIDR range; undefined if the text is neither. */
export function parseRange(
  text: string,
): { network: string; bits: number; family: 'ipv4' | 'ipv6' } | undefined {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const network = match?.[1] ?? '';
  const version = isIP(network);
  const widest = version === 6 ? 128 : 32;
  const bits = match?.[2] === undefined ? widest : Number(match[2]);
  // IPv6 zones name an interface of one machine, so they are refused.
  if (version === 0 || bits > widest || network.includes('%')) return undefined;
  return { network, bits, family: version === 6 ? 'ipv6' : 'ipv4' };
}

/** Whether a host is one of the domains or a subdomain of one. */
export function withinDomains(host: string, domains: readonly string[]): boolean {
  const name = host.toLowerCase();
  return domains.some(domain => name === domain || name.endsWith(`.${domain}`));
}
