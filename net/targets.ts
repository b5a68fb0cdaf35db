import type { AddressKey } from './address-key.ts';
import { AddressRanges, literalKey } from './address-ranges.ts';
import { isMappedIPv4 } from './ipv6.ts';

/**
 * IPv4 ranges that no game server has: the whole IANA IPv4 Special-Purpose Address Registry (its globally reachable ranges
 * are not unicast hosts either), multicast (RFC 5771), and an address that a cloud platform answers itself.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier NAT; metadata services of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16', // public, but the platform's agent within Azure
  '169.254.0.0/16', // link-local; metadata services of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, limited broadcast
];

/** The only global unicast space of IPv6 (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ['2000::/3'];

/**
 * Ranges of `GLOBAL_IPV6` that are in the IANA IPv6 Special-Purpose Address Registry. The other ranges of the registry are
 * outside of it: loopback, IPv4-mapped, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only and dummy (100::/64,
 * 100:0:0:1::/64), SRv6 (5f00::/16), unique local and link-local. So are IPv4-compatible, site-local and multicast
 * addresses.
 */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone remote ids
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

/**
 * Refused ports above 1023: those of databases, caches, control planes and mail-like services, and of UDP services that are
 * abused as reflectors. All ports up to 1023 are refused: no game of the catalog uses one.
 */
const SERVICE_PORTS = new Set([
  1080, 1433, 1434, 1521, 1723, 1812, 1813, 1883, 1900, 2049, 2375, 2376, 2379, 2380, 3128, 3268, 3269, 3283,
  3306, 3389, 3478, 3702, 4369, 5060, 5061, 5222, 5353, 5355, 5432, 5671, 5672, 5683, 5900, 5901, 5984, 5985,
  5986, 6379, 6443, 8086, 8883, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 37810,
]);

const SPECIAL = new AddressRanges([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const GLOBAL_V6 = new AddressRanges(GLOBAL_IPV6);

/** Whether a game server may have this port: it is above 1023 and not that of another known service. */
export function isGamePort(port: number): boolean {
  return port > 1023 && port <= 65535 && !SERVICE_PORTS.has(port);
}

/** Addresses that are refused in addition to the special-purpose ranges. */
export interface Refusals {
  /** CIDR ranges and addresses that are refused even if they are opened. */
  denied?: readonly string[];
  /** Addresses of this machine's network interfaces; refused unless opened, because packets to them come back. */
  interfaces?: readonly string[];
}

/** The rules of a `TargetPolicy`, which can be sent to another thread. */
export interface TargetRules extends Required<Refusals> {
  opened: readonly string[];
}

/** Decides which addresses may be probed: public unicast and what the operator opened, except for what is denied. */
export class TargetPolicy {
  readonly opened: readonly string[];
  readonly denied: readonly string[];
  readonly rules: TargetRules;
  readonly #opened: AddressRanges;
  readonly #denied: AddressRanges;
  readonly #interfaces: AddressRanges;

  /** `opened`: CIDR ranges and addresses. Throws RangeError on a text that is neither. */
  constructor(opened: readonly string[], { denied = [], interfaces = [] }: Refusals = {}) {
    this.opened = opened;
    this.denied = denied;
    this.rules = { opened, denied, interfaces };
    this.#opened = new AddressRanges(opened);
    this.#denied = new AddressRanges(denied);
    this.#interfaces = new AddressRanges(interfaces);
  }

  /** Whether packets may be sent to this IP literal. False for IPv4-mapped literals, which must be checked as IPv4. */
  allows(ip: string): boolean {
    return this.reach(ip) !== 'refused';
  }

  /** Why packets may be sent to an IP literal: it is `public`, or the operator opened it as one of their `own` networks. */
  reach(ip: string): 'public' | 'own' | 'refused' {
    const key = literalKey(ip);
    if (key === undefined || this.#denied.contains(key)) return 'refused';
    if (this.#isPublic(key)) return 'public';
    return this.#isOpened(key) ? 'own' : 'refused';
  }

  #isOpened(key: AddressKey): boolean {
    return this.#opened.contains(key) && !(typeof key === 'string' && isMappedIPv4(key));
  }

  #isPublic(key: AddressKey): boolean {
    if (typeof key === 'string' && !GLOBAL_V6.contains(key)) return false;
    return !SPECIAL.contains(key) && !this.#interfaces.contains(key);
  }
}
