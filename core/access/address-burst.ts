import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isRemote, limitKeyOf } from '../../net/network.ts';
import type { Caller } from './caller.ts';

/**
 * Limits the number of requests that one IP address can make per second, with all its tokens together. An IPv6 /64
 * network counts as one address. No address is stored for longer than one second.
 */
export class AddressBurst {
  /** Maximum number of requests of one address in one second; 0 turns the limit off. */
  readonly limit: number;
  readonly #limiter: RateLimiterMemory;

  constructor(limit: number) {
    this.limit = limit;
    this.#limiter = new RateLimiterMemory({ points: limit, duration: 1 });
  }

  /**
   * True if the limit of requests per second is turned on and applies to the caller. It does not apply to this machine,
   * to a caller that can be a proxy, or to a caller with an unknown address.
   */
  isLimited({ address, proxied }: Caller): boolean {
    return this.limit > 0 && !proxied && address !== '' && isRemote(address);
  }

  /**
   * Counts one request of a caller. Resolves to true if the request is within the limit, or to false if it exceeds the
   * limit.
   */
  async countRequest({ address }: Caller): Promise<boolean> {
    try {
      await this.#limiter.consume(limitKeyOf(address));
      return true;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return false;
      throw refusal;
    }
  }
}
