import { randomInt } from 'node:crypto';
import { networkOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';

const DOT = 0x2e;
const COLON = 0x3a;
const ZERO = 0x30;
/** Random, so that callers who choose host names cannot make their keys collide. */
const SEED = randomInt(2 ** 32) | 0;

/** RFC 4291 loopback and link-local, RFC 4193 unique local; addresses as the kernel writes them. */
const LOCAL_V6 = /^(?:::1$|fe[89ab]|f[cd])/i;

/** Location of a server in the network as 32-bit keys: servers of one host share `host`, hosts of one network share `network`. */
export interface NetworkKeys {
  /** An IPv4 address as a number; a hash of any other address or name. */
  host: number;
  /** The /24 of an IPv4 address; a hash of an IPv6 address' /48, or of a host name. */
  network: number;
  /** True for loopback, private and link-local addresses, which answer even if the internet is out of reach. */
  isLocal: boolean;
}

/** The keys of a canonical `host:port`. An IPv4 address is read in one pass, without a string. */
export function networkKeysOf(server: string): NetworkKeys {
  let address = 0;
  let octet = 0;
  for (let i = 0; i < server.length; i++) {
    const unit = server.charCodeAt(i);
    if (unit === COLON) return networkKeysOfV4((address << 8) | octet);
    if (unit === DOT) {
      address = (address << 8) | octet;
      octet = 0;
    } else if (unit >= ZERO && unit <= ZERO + 9) octet = octet * 10 + unit - ZERO;
    else break;
  }
  const host = server.slice(0, server.lastIndexOf(':'));
  return host.startsWith('[') ? networkKeysOfHost(host.slice(1, -1)) : networkKeysOfHost(host);
}

/** The keys of an IP address literal or a host name. */
export function networkKeysOfHost(host: string): NetworkKeys {
  if (/^[\d.]+$/.test(host)) return networkKeysOf(`${host}:`);
  const key = fnv1aText(host, SEED);
  if (!host.includes(':')) return { host: key, network: key, isLocal: false };
  return { host: key, network: fnv1aText(networkOf(host), SEED), isLocal: LOCAL_V6.test(host) };
}

function networkKeysOfV4(address: number): NetworkKeys {
  return { host: address, network: address >> 8, isLocal: isLocalV4(address) };
}

/** RFC 1122 loopback, RFC 1918 private, RFC 3927 link-local, RFC 6598 shared. */
function isLocalV4(address: number): boolean {
  const first = address >>> 24;
  const second = (address >>> 16) & 0xff;
  if (first === 10 || first === 127) return true;
  if (first === 172) return second >> 4 === 1;
  if (first === 192) return second === 168;
  if (first === 169) return second === 254;
  return first === 100 && second >> 6 === 1;
}
