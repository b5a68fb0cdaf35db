import { BlockList, isIPv6 } from 'node:net';
import { type AddressKey, addressKey } from './address-key.ts';
import { isMappedIPv4 } from './ipv6.ts';

/** Number of bits in `::ffff:0:0/96`, the prefix of all IPv4-mapped addresses (RFC 4291, 2.5.5.2). */
const MAPPED_PREFIX = 96;

/**
 * Returns the map key of an IP literal. Returns undefined if the text is not an IP literal, or if it has a zone such as
 * `%eth0`, because a zone has a meaning only on one machine.
 */
export function literalKey(ip: string): AddressKey | undefined {
  const key = addressKey(ip);
  return typeof key === 'number' || (isIPv6(ip) && !ip.includes('%')) ? key : undefined;
}

/**
 * A set of CIDR ranges. IPv4 ranges are compared as numbers, because Node's `BlockList` creates an object for each
 * look-up and therefore takes 2 µs. Only IPv6 addresses are looked up in a `BlockList`.
 */
export class AddressRanges {
  readonly #v4: { network: number; mask: number }[] = [];
  readonly #v6 = new BlockList();
  #hasV6 = false;

  /** `ranges`: the CIDR ranges and single addresses of the set, as text. Throws RangeError for any other text. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) this.#addRange(range);
  }

  /**
   * Returns true if one of the CIDR ranges in this set contains an IP address. `ip` is the map key of the address,
   * created by `literalKey`.
   */
  contains(ip: AddressKey): boolean {
    if (typeof ip === 'string') return this.#hasV6 && this.#v6.check(ip, 'ipv6');
    for (const { network, mask } of this.#v4) if ((ip & mask) === network) return true;
    return false;
  }

  #addRange(range: string): void {
    const [, network = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const key = literalKey(network);
    const mostBits = typeof key === 'number' ? 32 : 128;
    const bits = Number(prefix ?? mostBits);
    if (key === undefined || bits > mostBits) {
      throw new RangeError(`"${range}" is not a CIDR range; write one as 10.0.0.0/8 or fd00::/8`);
    }
    if (typeof key === 'string') {
      // Refuses a range of IPv4-mapped IPv6 addresses. Such a range would never match, because IPv4 addresses are
      // compared only with IPv4 ranges.
      if (bits >= MAPPED_PREFIX && isMappedIPv4(network)) {
        throw new RangeError(`"${range}" is IPv4 written as IPv6; write one as 10.0.0.0/8`);
      }
      this.#v6.addSubnet(network, bits, 'ipv6');
      this.#hasV6 = true;
      return;
    }
    // Handles the prefix length 0 separately, because a shift by 32 bits does nothing in JavaScript.
    const mask = bits === 0 ? 0 : -1 << (32 - bits);
    this.#v4.push({ network: key & mask, mask });
  }
}
