import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isRemote, limitKeyOf } from '../../net/network.ts';
import type { Caller } from './caller.ts';

/** Rate limit of one caller address, over all tokens: requests in one second. Keeps an entry for that second. */
export class AddressBurst {
  /** Requests in one second; 0 turns the limit off. */
  readonly limit: number;
  readonly #limiter: RateLimiterMemory;

  constructor(limit: number) {
    this.limit = limit;
    this.#limiter = new RateLimiterMemory({ points: limit, duration: 1 });
  }

  /** False for loopback and proxied callers, whose address is shared, and if the limit is off. */
  isLimited({ address, proxied }: Caller): boolean {
    return this.limit > 0 && !proxied && address !== '' && isRemote(address);
  }

  /** Counts a request; resolves to false if it exceeds the limit. */
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
