import { networkOf } from '../../net/network.ts';

/** Limits on tracked servers that never answered. */
export interface UnconfirmedLimits {
  inAll: number;
  /** Servers that one token inserted. */
  aToken: number;
  /** Servers at one IP address, of all tokens. */
  anAddress: number;
  /** Servers in one network: a /24 of IPv4, a /48 of IPv6. */
  aNetwork: number;
}

/** Defaults that admit a first request of 1000 servers, all in one network and a fifth of them at one address. */
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
 * Tracked servers that never answered, counted by token, address and network. The limits stop callers who name random
 * addresses to have packets sent there. A server that has answered once is a game server and leaves these counts.
 */
export class UnconfirmedServers {
  readonly #limits: UnconfirmedLimits;
  /** By server key. More than `inAll` only if they were stored under a higher limit. */
  readonly #owners = new Map<string, Owner>();
  /** Number of servers by token, address and network. */
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

  /** Adds a server that is tracked already. `address`: its IP address, or its host name if the address is not known. */
  add(key: string, token: string, address: string): void {
    if (this.#owners.has(key)) return;
    const owner = { token, address, network: networkOf(address) };
    this.#owners.set(key, owner);
    change(this.#tokens, owner.token, 1);
    change(this.#addresses, owner.address, 1);
    change(this.#networks, owner.network, 1);
  }

  /**
   * Adds a server before its insert. Returns the limit that refuses it, or undefined. `own`: it is in one of the operator's
   * own networks, whose addresses have no limit.
   */
  addWithinLimits(
    key: string,
    token: string,
    address: string,
    own: boolean,
  ): keyof UnconfirmedLimits | undefined {
    const full = this.#full(token, address, own);
    if (!full) this.add(key, token, address);
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

  /** Removes a server that has answered or is not tracked any longer. */
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
