import { BlockList, isIP } from 'node:net';

const DOT = 0x2e;
const ZERO = 0x30;

/** IPv4 written as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED_IPV4 = new BlockList();
MAPPED_IPV4.addSubnet('::ffff:0:0', 96, 'ipv6');
const MAPPED_PREFIX = 96;

/** The family of an IP literal; undefined for any other text, and for a literal with a zone, which is no one's elsewhere. */
export function familyOf(ip: string): 4 | 6 | undefined {
  const family = isIP(ip);
  if (family === 4) return 4;
  return family === 6 && !ip.includes('%') ? 6 : undefined;
}

/** Whether an IPv6 literal is an IPv4 address in disguise (`::ffff:1.2.3.4`, however written). */
export function isMappedIPv4(ip: string): boolean {
  return MAPPED_IPV4.check(ip, 'ipv6');
}

/** Ranges of addresses. IPv4 is looked up as a number: `BlockList` makes an object of each address it is asked for, 2 µs. */
export class AddressRanges {
  readonly #v4: { network: number; mask: number }[] = [];
  readonly #v6 = new BlockList();
  #hasV6 = false;

  /** CIDR ranges and single addresses. Throws RangeError on a text that is neither. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) this.#add(range);
  }

  /** `ip` is an IP literal of the family, without a zone. */
  has(ip: string, family: 4 | 6): boolean {
    if (family === 6) return this.#hasV6 && this.#v6.check(ip, 'ipv6');
    const number = numberOf(ip);
    for (const { network, mask } of this.#v4) if ((number & mask) === network) return true;
    return false;
  }

  #add(range: string): void {
    const [, network = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const family = familyOf(network);
    const bits = Number(prefix ?? (family === 6 ? 128 : 32));
    if (family === undefined || bits > (family === 6 ? 128 : 32)) {
      throw new RangeError(`"${range}" is not a CIDR range; write one as 10.0.0.0/8 or fd00::/8`);
    }
    if (family === 6) {
      // It would never match: IPv4 is looked up as such.
      if (bits >= MAPPED_PREFIX && isMappedIPv4(network)) {
        throw new RangeError(`"${range}" is IPv4 written as IPv6; write one as 10.0.0.0/8`);
      }
      this.#v6.addSubnet(network, bits, 'ipv6');
      this.#hasV6 = true;
      return;
    }
    // A shift by 32 bits shifts by none.
    const mask = bits === 0 ? 0 : -1 << (32 - bits);
    this.#v4.push({ network: numberOf(network) & mask, mask });
  }
}

/** An IPv4 literal as a signed number of 32 bits. */
function numberOf(ip: string): number {
  let number = 0;
  let octet = 0;
  for (let i = 0; i < ip.length; i++) {
    const code = ip.charCodeAt(i);
    if (code === DOT) {
      number = (number << 8) | octet;
      octet = 0;
    } else {
      octet = octet * 10 + code - ZERO;
    }
  }
  return (number << 8) | octet;
}
