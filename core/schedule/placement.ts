import { isIPv4, isIPv6 } from 'node:net';
import { splitCanonical } from '../../net/address.ts';
import { networkOf } from '../../net/network.ts';
import { fnv1aText } from '../../runtime/fnv1a.ts';
import { type NetworkKeys, networkKeysOf } from '../detector/network-keys.ts';
import type { ProberSession } from './prober-session.ts';

/** Maximum number of host names whose IP address `ServerNetworks` remembers. A name takes about 150 bytes. */
const MOST_NAMES = 100_000;

/** A network of servers, as `PlacedProbers` needs it. */
export interface ServerNetwork extends Pick<NetworkKeys, 'isV6'> {
  /** Number that identifies the network. All cores compute the same number. */
  id: number;
}

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
   * Returns the network of a server. If the IP address of a host name is not known, the host name counts as a network
   * of its own. Returns undefined for a local address, because local networks have no network rate limit.
   */
  find(server: string): ServerNetwork | undefined {
    const { host } = splitCanonical(server);
    const ip = isIPv4(host) || isIPv6(host) ? host : this.#addresses.get(host);
    if (ip === undefined) return { id: fnv1aText(host), isV6: false };
    const isV6 = isIPv6(ip);
    const { isLocal } = networkKeysOf(isV6 ? `[${ip}]:0` : `${ip}:0`);
    return isLocal ? undefined : { id: fnv1aText(networkOf(ip)), isV6 };
  }
}

/**
 * Chooses a prober for each network of servers and each public server list. Cores with the same probers make the same
 * choice. The share of a prober is proportional to its capacity. If a prober joins or leaves, only its own networks
 * move (rendezvous hashing).
 */
export class PlacedProbers {
  readonly #all: readonly ProberSession[];
  readonly #v4: Reachable;
  readonly #v6: Reachable;

  /** `probers`: the sessions of the probers that are connected, and the sessions that can still be resumed. */
  constructor(probers: Iterable<ProberSession>) {
    this.#all = [...probers];
    this.#v4 = reachable(this.#all, false);
    this.#v6 = reachable(this.#all, true);
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
   * Returns the prober for the servers of a network; undefined if there is no suitable prober. `isOut`: if true,
   * chooses from the probers whose internet connection is down for the IP version of the network. If false, chooses
   * from the other probers.
   */
  ofNetwork({ id, isV6 }: ServerNetwork, isOut = false): ProberSession | undefined {
    const { out, good } = isV6 ? this.#v6 : this.#v4;
    return chosen(id, isOut ? out : good);
  }

  /**
   * Returns the prober that would probe the servers of a network if the prober's internet connection worked. Returns
   * undefined if this connection works, or if there is no prober.
   */
  cutOffFrom({ id, isV6 }: ServerNetwork): ProberSession | undefined {
    const { out } = isV6 ? this.#v6 : this.#v4;
    if (out.length === 0) return undefined;
    const prober = chosen(id, this.#all);
    return prober && out.includes(prober) ? prober : undefined;
  }
}

/** Probers whose internet connection for one IP version works (`good`), and those for which it is down (`out`). */
interface Reachable {
  good: readonly ProberSession[];
  out: readonly ProberSession[];
}

function reachable(probers: readonly ProberSession[], isV6: boolean): Reachable {
  const isOut = ({ uplinks }: ProberSession) => uplinks.uplinkTo({ isLocal: false, isV6 }).outage.isOpen;
  return { good: probers.filter(prober => !isOut(prober)), out: probers.filter(isOut) };
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
