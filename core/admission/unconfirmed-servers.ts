import { networkOf } from '../../net/network.ts';

/** How many servers that never answered are tracked at once. */
export interface UnconfirmedLimits {
  inAll: number;
  /** Inserted by one token. */
  aToken: number;
  /** At one IP address, whoever inserted them. */
  anAddress: number;
  /** In one network, a /24 or of IPv6 a /48. */
  aNetwork: number;
}

/** A first request of 1000 servers is inserted whole, all in one network and a fifth of them at one address. */
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
 * Servers that never answered, and whom they count against: whoever names addresses at random, to have packets sent to
 * them, comes no further than these limits. What has answered once is a game server, and no longer counted here.
 */
export class UnconfirmedServers {
  readonly #limits: UnconfirmedLimits;
  /** By the key of the server; at most `inAll`, and what was stored when the limit was higher. */
  readonly #owners = new Map<string, Owner>();
  /** How many of them: by token, address, network. */
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

  /** Takes in a server that is tracked already. `address`: its IP address, or its host name where that is not known. */
  add(key: string, token: string, address: string): void {
    if (this.#owners.has(key)) return;
    const owner = { token, address, network: networkOf(address) };
    this.#owners.set(key, owner);
    change(this.#tokens, owner.token, 1);
    change(this.#addresses, owner.address, 1);
    change(this.#networks, owner.network, 1);
  }

  /**
   * Takes in a server that is to be inserted; where it may not be, says what is full. `own`: it is on a network of the
   * operator's, where one machine may play a thousand.
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

  /** The server has answered, or is tracked no longer. */
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
