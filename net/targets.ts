import type { AddressKey } from './address-key.ts';
import { AddressRanges, literalKey } from './address-ranges.ts';
import { isMappedIPv4 } from './ipv6.ts';

/**
 * IPv4 ranges in which no public game server can be. Sources: IANA IPv4 Special-Purpose Address Registry, and RFC 5771
 * (multicast). Some of these ranges are globally reachable according to the registry. They are in this list because
 * they are for anycast services, and not for game servers.
 */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // "this network" (RFC 791)
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT; also metadata services of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16', // a public address, but within Azure it is the agent of the platform
  '169.254.0.0/16', // link-local; also metadata services of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
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
  '240.0.0.0/4', // reserved; also limited broadcast
];

/** The only range of IPv6 in which global unicast addresses are assigned (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ['2000::/3'];

/**
 * Special-purpose ranges inside `GLOBAL_IPV6`, from the IANA IPv6 Special-Purpose Address Registry. All addresses
 * outside of `GLOBAL_IPV6` are refused anyway.
 */
const SPECIAL_IPV6 = [
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone remote ids
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

/**
 * Ports above 1023 that are never probed, because other services use them. Some of these services can be abused as UDP
 * reflectors.
 */
const SERVICE_PORTS = new Set([
  1080, 1433, 1434, 1521, 1723, 1812, 1813, 1883, 1900, 2049, 2375, 2376, 2379, 2380, 3128, 3268, 3269, 3283,
  3306, 3389, 3478, 3702, 4369, 5060, 5061, 5222, 5353, 5355, 5432, 5671, 5672, 5683, 5900, 5901, 5984, 5985,
  5986, 6379, 6443, 8086, 8883, 9042, 9092, 9200, 9300, 10250, 11211, 15672, 37810,
]);

const SPECIAL = new AddressRanges([...SPECIAL_IPV4, ...SPECIAL_IPV6]);
const GLOBAL_V6 = new AddressRanges(GLOBAL_IPV6);

/** Returns true if a game server can have this port: the port is above 1023, and no other known service uses it. */
export function isGamePort(port: number): boolean {
  return port > 1023 && port <= 65535 && !SERVICE_PORTS.has(port);
}

/** Addresses that gsq must not probe, in addition to the special-purpose ranges of IANA. */
export interface Refusals {
  /** CIDR ranges and addresses that gsq never probes, even if the operator has allowed a range that contains them. */
  denied?: readonly string[];
  /**
   * Addresses of the network interfaces of this machine. Packets to them would return to this machine. Therefore they
   * are refused, except for addresses in ranges that the operator has allowed.
   */
  interfaces?: readonly string[];
}

/** The rules of a `TargetPolicy` (which addresses gsq may probe), in a form that can be sent to another thread. */
export interface TargetRules extends Required<Refusals> {
  opened: readonly string[];
}

/**
 * Decides which addresses gsq is allowed to probe: public unicast addresses and the ranges that the operator opened,
 * except for the ranges that the operator denied.
 */
export class TargetPolicy {
  readonly opened: readonly string[];
  readonly denied: readonly string[];
  readonly rules: TargetRules;
  readonly #opened: AddressRanges;
  readonly #denied: AddressRanges;
  readonly #interfaces: AddressRanges;

  /**
   * `opened`: CIDR ranges and addresses that gsq may probe although they are not public. Throws RangeError if an entry
   * of `opened`, `denied` or `interfaces` is not valid.
   */
  constructor(opened: readonly string[], { denied = [], interfaces = [] }: Refusals = {}) {
    this.opened = opened;
    this.denied = denied;
    this.rules = { opened, denied, interfaces };
    this.#opened = new AddressRanges(opened);
    this.#denied = new AddressRanges(denied);
    this.#interfaces = new AddressRanges(interfaces);
  }

  /**
   * Returns true if packets are allowed to be sent to this IP literal. Always returns false for an IPv4-mapped literal.
   * For such a literal, the caller must pass the IPv4 address.
   */
  allows(ip: string): boolean {
    return this.reach(ip) !== 'refused';
  }

  /**
   * Returns whether gsq may send packets to an IP literal. `public`: yes, because the address is public. `own`: yes,
   * because the operator opened its network. `refused`: no.
   */
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
