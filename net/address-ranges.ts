import { BlockList, isIPv6 } from 'node:net';
import { type AddressKey, addressKey } from './address-key.ts';

/** IPv4 written as IPv6 (RFC 4291, 2.5.5.2). */
const MAPPED_IPV4 = new BlockList();
MAPPED_IPV4.addSubnet('::ffff:0:0', 96, 'ipv6');
const MAPPED_PREFIX = 96;

/** The key of an IP literal; undefined for any other text, and for a literal with a zone, which is no one's elsewhere. */
export function literalKey(ip: string): AddressKey | undefined {
  const key = addressKey(ip);
  return typeof key === 'number' || (isIPv6(ip) && !ip.includes('%')) ? key : undefined;
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

  /** Whether the address of a `literalKey` is in one of them. */
  has(ip: AddressKey): boolean {
    if (typeof ip === 'string') return this.#hasV6 && this.#v6.check(ip, 'ipv6');
    for (const { network, mask } of this.#v4) if ((ip & mask) === network) return true;
    return false;
  }

  #add(range: string): void {
    const [, network = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const key = literalKey(network);
    const mostBits = typeof key === 'number' ? 32 : 128;
    const bits = Number(prefix ?? mostBits);
    if (key === undefined || bits > mostBits) {
      throw new RangeError(`"${range}" is not a CIDR range; write one as 10.0.0.0/8 or fd00::/8`);
    }
    if (typeof key === 'string') {
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
    this.#v4.push({ network: key & mask, mask });
  }
}
