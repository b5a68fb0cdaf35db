import { networkOf } from '../../net/network.ts';

/** Limits on the number of unconfirmed servers: tracked servers that have never answered. */
export interface UnconfirmedLimits {
  inAll: number;
  /** Maximum number of unconfirmed servers (servers that have never answered) that one token inserted. */
  aToken: number;
  /** Maximum number of unconfirmed servers at one IP address, over all tokens. */
  anAddress: number;
  /** Maximum number of unconfirmed servers in one network: a /24 of IPv4 or a /48 of IPv6. */
  aNetwork: number;
}

/**
 * Default limits on unconfirmed servers, per IP address and per network. They allow a first request with 1000 servers
 * in one network, or 200 servers at one address.
 */
export const UNCONFIRMED_LIMITS: Omit<UnconfirmedLimits, 'inAll' | 'aToken'> = {
  anAddress: 256,
  aNetwork: 1024,
};

interface Owner {
  token: string;
  address: string;
  network: string;
}

/**
 * Counts unconfirmed servers (tracked servers that have never answered) by token, address and network. With limits, a
 * caller cannot make gsq send packets to many random addresses.
 */
export class UnconfirmedServers {
  readonly #limits: UnconfirmedLimits;
  /**
   * All unconfirmed servers, keyed by server key. There can be more of them than the limit `inAll` allows, because a
   * core does not check the limit when it loads stored servers.
   */
  readonly #owners = new Map<string, Owner>();
  /** Number of unconfirmed servers, keyed by the id of the token that inserted them. */
  readonly #tokens = new Map<string, number>();
  readonly #addresses = new Map<string, number>();
  readonly #networks = new Map<string, number>();

  constructor(limits: UnconfirmedLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#owners.size;
  }

  has(key: string): boolean {
    return this.#owners.has(key);
  }

  /**
   * Counts a new server as unconfirmed, without a check of the limits. `address`: IP address of the server, or its host
   * name if no IP address is known.
   */
  addServer(key: string, token: string, address: string): void {
    if (this.#owners.has(key)) return;
    const owner = { token, address, network: networkOf(address) };
    this.#owners.set(key, owner);
    change(this.#tokens, owner.token, 1);
    change(this.#addresses, owner.address, 1);
    change(this.#networks, owner.network, 1);
  }

  /**
   * Counts a new server as unconfirmed (never answered). If a limit is already reached, returns this limit instead.
   * `own`: true for a server in a network of the operator, for which the limits per address and network do not apply.
   */
  addWithinLimits(
    key: string,
    token: string,
    address: string,
    own: boolean,
  ): keyof UnconfirmedLimits | undefined {
    const full = this.#full(token, address, own);
    if (!full) this.addServer(key, token, address);
    return full;
  }

  #full(token: string, address: string, own: boolean): keyof UnconfirmedLimits | undefined {
    const { inAll, aToken, anAddress, aNetwork } = this.#limits;
    if (this.#owners.size >= inAll) return 'inAll';
    if ((this.#tokens.get(token) ?? 0) >= aToken) return 'aToken';
    if (own) return undefined;
    if ((this.#addresses.get(address) ?? 0) >= anAddress) return 'anAddress';
    return (this.#networks.get(networkOf(address)) ?? 0) >= aNetwork ? 'aNetwork' : undefined;
  }

  /** Removes a server from the counts of unconfirmed servers, because it has answered or is no longer tracked. */
  drop(key: string): void {
    const owner = this.#owners.get(key);
    if (!owner) return;
    this.#owners.delete(key);
    change(this.#tokens, owner.token, -1);
    change(this.#addresses, owner.address, -1);
    change(this.#networks, owner.network, -1);
  }
}

function change(counts: Map<string, number>, name: string, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}
