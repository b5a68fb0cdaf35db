import { randomInt } from 'node:crypto';
import { networkOf } from '../../proto/network.ts';

const DOT = 0x2e;
const COLON = 0x3a;
const ZERO = 0x30;
/** Outsiders choose names: nobody may know which of them share a key. */
const SEED = randomInt(2 ** 32) | 0;

/** Where a server is, as 32-bit keys: its host, which siblings share, and the network around it. */
export interface Where {
  /** An IPv4 address as a number; of anything else a hash. */
  host: number;
  /** A /24 of IPv4; of IPv6 a hash of the /48, of a name its own. */
  network: number;
}

/** Reads where a canonical `host:port` is; an IPv4 address costs one pass and no text. */
export function whereIs(server: string): Where {
  let address = 0;
  let octet = 0;
  for (let i = 0; i < server.length; i++) {
    const unit = server.charCodeAt(i);
    if (unit === COLON) return whereIsV4((address << 8) | octet);
    if (unit === DOT) {
      address = (address << 8) | octet;
      octet = 0;
    } else if (unit >= ZERO && unit <= ZERO + 9) octet = octet * 10 + unit - ZERO;
    else break;
  }
  const host = server.slice(0, server.lastIndexOf(':'));
  return host.startsWith('[') ? whereIsHost(host.slice(1, -1)) : whereIsHost(host);
}

/** Reads where an IP address literal or a host name is. */
export function whereIsHost(host: string): Where {
  if (/^[\d.]+$/.test(host)) return whereIs(`${host}:`);
  const key = hashed(host);
  return { host: key, network: host.includes(':') ? hashed(networkOf(host)) : key };
}

function whereIsV4(address: number): Where {
  return { host: address, network: address >> 8 };
}

/** FNV-1a from a random start. */
function hashed(text: string): number {
  let hash = SEED;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
