import { ServiceError } from '../../proto/service-error.ts';

/** Maximum number of watch streams that are open at the same time on one port: in total, and per token. */
export interface WatchLimits {
  inAll: number;
  aToken: number;
}

const LIMITS: WatchLimits = { inAll: 1000, aToken: 20 };
const RETRY = { retryAfterSeconds: 30 };

/** Limits the number of open watch streams, in total and per token. */
export class WatchSlots {
  readonly #limits: WatchLimits;
  readonly #byToken = new Map<string, number>();
  #taken = 0;

  constructor(limits: WatchLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Reserves a watch stream for a token. Returns a function that releases the reservation. Call it only once. Throws
   * ServiceError RATE_1 if the token has too many open watch streams. Throws ServiceError CORE_1 if the port has too
   * many.
   */
  acquireSlot(tokenId: string): () => void {
    const taken = this.#byToken.get(tokenId) ?? 0;
    if (taken >= this.#limits.aToken) {
      throw new ServiceError(
        'RATE_1',
        `This token watches on ${taken} streams already; watch more servers on each, or end one.`,
        {
          ...RETRY,
          facts: { max_streams: String(this.#limits.aToken) },
          quotaSubject: `token:${tokenId}`,
        },
      );
    }
    if (this.#taken >= this.#limits.inAll) {
      throw new ServiceError('CORE_1', 'As many streams watch as may; fetch instead, or try again later.', {
        ...RETRY,
        facts: { max_streams: String(this.#limits.inAll) },
      });
    }
    this.#taken++;
    this.#byToken.set(tokenId, taken + 1);
    return () => this.#release(tokenId);
  }

  #release(tokenId: string): void {
    this.#taken--;
    const left = (this.#byToken.get(tokenId) ?? 0) - 1;
    if (left > 0) this.#byToken.set(tokenId, left);
    else this.#byToken.delete(tokenId);
  }
}
