import { randomInt } from 'node:crypto';
import { networkOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';

const DOT = 0x2e;
const COLON = 0x3a;
const ZERO = 0x30;
/** Random seed of the hash. Without it, callers who choose host names could make the keys of these names collide. */
const SEED = randomInt(2 ** 32) | 0;

/**
 * Pattern of local IPv6 addresses, in the spelling of the kernel: loopback and link-local (RFC 4291), unique local (RFC
 * 4193).
 */
const LOCAL_V6 = /^(?:::1$|fe[89ab]|f[cd])/i;

/**
 * Identifies the host and the network of a server by 32-bit keys. All servers of one host have the same `host` key. All
 * hosts of one network have the same `network` key.
 */
export interface NetworkKeys {
  /** Identifies the host: an IPv4 address as a number, or a hash of an IPv6 address or of a host name. */
  host: number;
  /**
   * Key of the network: the first 24 bits of an IPv4 address, a hash of the /48 of an IPv6 address, or a hash of a host
   * name.
   */
  network: number;
  /**
   * True for loopback, private, shared and link-local addresses. Servers at these addresses answer even if the internet
   * cannot be reached.
   */
  isLocal: boolean;
  /** True for IPv6 addresses. False for IPv4 addresses, and for host names whose address is not known. */
  isV6: boolean;
}

/**
 * Returns the keys of the host and the network of a server. `server`: its canonical `host:port`. Parses an IPv4 address
 * in one pass, without creating a string for the host.
 */
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

/** Returns the numbers that identify a host and its network. `host`: an IP address or a host name, without a port. */
export function networkKeysOfHost(host: string): NetworkKeys {
  if (/^[\d.]+$/.test(host)) return networkKeysOf(`${host}:`);
  const key = fnv1aText(host, SEED);
  if (!host.includes(':')) return { host: key, network: key, isLocal: false, isV6: false };
  const network = fnv1aText(networkOf(host), SEED);
  return { host: key, network, isLocal: LOCAL_V6.test(host), isV6: true };
}

function networkKeysOfV4(address: number): NetworkKeys {
  return { host: address, network: address >> 8, isLocal: isLocalV4(address), isV6: false };
}

/**
 * True for local IPv4 addresses: loopback (RFC 1122), private (RFC 1918), link-local (RFC 3927) and shared (RFC 6598).
 */
function isLocalV4(address: number): boolean {
  const first = address >>> 24;
  const second = (address >>> 16) & 0xff;
  if (first === 10 || first === 127) return true;
  if (first === 172) return second >> 4 === 1;
  if (first === 192) return second === 168;
  if (first === 169) return second === 254;
  return first === 100 && second >> 6 === 1;
}
