import { isIPv4, isIPv6 } from 'node:net';
import { splitCanonical } from '../../net/address.ts';
import { networkOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';
import { networkKeysOf } from '../detector/network-keys.ts';
import type { ProberSession } from './prober-session.ts';

/** Maximum number of host names whose IP address `ServerNetworks` remembers. A name takes about 150 bytes. */
const MOST_NAMES = 100_000;

/** Finds the network of each server: an IPv4 /24 or an IPv6 /48. The rate limits of a prober apply to each network. */
export class ServerNetworks {
  /**
   * Newest known IP address of each host name. The host name that was added first is the first key, and is removed
   * first.
   */
  readonly #addresses = new Map<string, string>();

  /** Stores the IP address that a prober found for the host name of a server. `server`: canonical `host:port`. */
  noteAddress(server: string, ip: string): void {
    const { host } = splitCanonical(server);
    this.#addresses.set(host, ip);
    if (this.#addresses.size <= MOST_NAMES) return;
    const [oldest = ''] = this.#addresses.keys();
    this.#addresses.delete(oldest);
  }

  /**
   * Returns a number that identifies the network of a server. All cores compute the same number. If the IP address of a
   * host name is not known, the host name counts as a network of its own. Returns undefined for a local address,
   * because local networks have no network rate limit.
   */
  find(server: string): number | undefined {
    const { host } = splitCanonical(server);
    const ip = isIPv4(host) || isIPv6(host) ? host : this.#addresses.get(host);
    if (ip === undefined) return fnv1aText(host);
    const written = isIPv6(ip) ? `[${ip}]:0` : `${ip}:0`;
    return networkKeysOf(written).isLocal ? undefined : fnv1aText(networkOf(ip));
  }
}

/**
 * Chooses a prober for each network of servers and each public server list. Cores with the same probers make the same
 * choice. The share of a prober is proportional to its capacity. If a prober joins or leaves, only its own networks
 * move (rendezvous hashing).
 */
export class PlacedProbers {
  readonly #all: readonly ProberSession[];
  /** The probers whose network connection works. */
  readonly #good: readonly ProberSession[];
  /** The probers whose network connection is down. */
  readonly #out: readonly ProberSession[];

  /** `probers`: the sessions of the probers that are connected, and the sessions that can still be resumed. */
  constructor(probers: Iterable<ProberSession>) {
    this.#all = [...probers];
    this.#good = this.#all.filter(({ uplinks }) => !uplinks.isAnyOut);
    this.#out = this.#all.filter(({ uplinks }) => uplinks.isAnyOut);
  }

  /** True if there is only one prober. */
  get isAlone(): boolean {
    return this.#all.length === 1;
  }

  /** Returns the prober that sends the requests to a public server list; undefined if there is no prober. */
  ofDirectory(directory: string): ProberSession | undefined {
    return chosen(fnv1aText(directory), this.#all);
  }

  /**
   * Returns the prober for the servers of a network; undefined if there is no suitable prober. `network`: a result of
   * `ServerNetworks.find`. `isOut`: if true, chooses from the probers whose network connection is down. If false,
   * chooses from the other probers.
   */
  ofNetwork(network: number, isOut = false): ProberSession | undefined {
    return chosen(network, isOut ? this.#out : this.#good);
  }
}

function chosen(place: number, probers: readonly ProberSession[]): ProberSession | undefined {
  let best: ProberSession | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (const prober of probers) {
    const score = Math.log(fraction(place, prober.nameHash)) / prober.stream.announced;
    // If two sessions have the same prober name, the later one is chosen. Both can exist for a moment when a prober
    // restarts.
    if (score < highest) continue;
    best = prober;
    highest = score;
  }
  return best;
}

/**
 * Mixes two hashes into a number between 0 and 1 (both excluded), with the finalizer of MurmurHash3. Similar hashes
 * give very different results. Therefore networks with similar hashes do not all get the same prober.
 */
function fraction(place: number, nameHash: number): number {
  let mixed = Math.imul(place, 0x9e3779b1) ^ nameHash;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  return ((mixed >>> 0) + 0.5) / 2 ** 32;
}
