import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { isRemote, limitKeyOf } from '../../net/network.ts';
import type { Caller } from './authenticator.ts';

/** How many requests come from each address in a second, whatever their tokens. Keeps an entry for that second. */
export class AddressBurst {
  /** 0: any number. */
  readonly limit: number;
  readonly #limiter: RateLimiterMemory;

  constructor(limit: number) {
    this.limit = limit;
    this.#limiter = new RateLimiterMemory({ points: limit, duration: 1 });
  }

  /** Whether a caller's address says who it is: it is neither this machine's, which speaks for others, nor a proxy's. */
  counts({ address, proxied }: Caller): boolean {
    return this.limit > 0 && !proxied && address !== '' && isRemote(address);
  }

  /** Counts a request; false where it is one too many. */
  async take({ address }: Caller): Promise<boolean> {
    try {
      await this.#limiter.consume(limitKeyOf(address));
      return true;
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return false;
      throw refusal;
    }
  }
}
