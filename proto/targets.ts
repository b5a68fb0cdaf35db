import { BlockList, isIP } from 'node:net';

/** IANA IPv4 Special-Purpose Address Registry, multicast and class E. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];

/** Within 2000::/3, the only global unicast space: Teredo and other special uses, documentation, 6to4. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

/**
 * Ports above 1023 where databases, caches, control planes and mail-like services listen, and those UDP services
 * that are abused as reflectors. Ports up to 1023 are refused as a whole: no game of the catalog lives there.
 */
const SERVICE_PORTS = new Set([
  1080, 1433, 1434, 1521, 1723, 1812, 1813, 1883, 1900, 2049, 2375, 2376, 2379, 2380, 3128, 3268, 3269, 3283,
  3306, 3389, 3478, 3702, 4369, 5060, 5061, 5222, 5353, 5355, 5432, 5671, 5672, 5683, 5900, 5901, 5984, 5985,
  5986, 6379, 6443, 8086, 8883, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 37810,
]);

const DOT = 0x2e;
const ZERO = 0x30;

/** Whether a port is one that game servers use. */
export function isGamePort(port: number): boolean {
  return port > 1023 && port <= 65535 && !SERVICE_PORTS.has(port);
}

/** Ranges of addresses. IPv4 is looked up as a number: `BlockList` makes an object of each address it is asked for, 2 µs. */
class AddressRanges {
  readonly #v4: { network: number; mask: number }[] = [];
  readonly #v6 = new BlockList();

  /** Throws RangeError on a text that is no CIDR range. */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) this.#add(range);
  }

  /** `ip` is an IP literal of the family. */
  has(ip: string, family: 4 | 6): boolean {
    if (family === 6) return this.#v6.check(ip, 'ipv6');
    const number = numberOf(ip);
    for (const { network, mask } of this.#v4) if ((number & mask) === network) return true;
    return false;
  }

  #add(range: string): void {
    const [, network = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const family = isIP(network);
    const bits = Number(prefix ?? (family === 6 ? 128 : 32));
    if (family === 0 || bits > (family === 6 ? 128 : 32)) {
      throw new RangeError(`"${range}" is not a CIDR range; write one as 10.0.0.0/8 or fd00::/8`);
    }
    if (family === 6) {
      this.#v6.addSubnet(network, bits, 'ipv6');
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

const SPECIAL = new AddressRanges([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const GLOBAL_V6 = new AddressRanges(['2000::/3']);

/** Which addresses may be sent to: public unicast, and what the operator opened. */
export class TargetPolicy {
  readonly #opened: AddressRanges;
  readonly ranges: readonly string[];

  /** `opened`: CIDR ranges. Throws RangeError on one that is none. */
  constructor(opened: readonly string[]) {
    this.#opened = new AddressRanges(opened);
    this.ranges = opened;
  }

  /** Whether packets may go to this IP literal (canonical: no mapped IPv4). */
  allows(ip: string): boolean {
    const family = familyOf(ip);
    return family !== undefined && (isPublic(ip, family) || this.#opened.has(ip, family));
  }

  /** Whether packets may go to it only because the operator opened it: a network of the operator's own. */
  isOwn(ip: string): boolean {
    const family = familyOf(ip);
    return family !== undefined && !isPublic(ip, family) && this.#opened.has(ip, family);
  }
}

function familyOf(ip: string): 4 | 6 | undefined {
  const family = isIP(ip);
  return family === 4 || family === 6 ? family : undefined;
}

function isPublic(ip: string, family: 4 | 6): boolean {
  if (family === 6 && !GLOBAL_V6.has(ip, family)) return false;
  return !SPECIAL.has(ip, family);
}
