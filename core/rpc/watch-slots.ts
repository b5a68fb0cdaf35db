import { ServiceError } from '../../proto/service-error.ts';
import type { Reader } from './readers.ts';

/** Maximum number of streams of changes that are open at the same time on one gRPC port. */
export interface WatchLimits {
  inAll: number;
  aToken: number;
  /** Maximum number of open streams of callers without a token, for each IPv4 address or IPv6 /64. */
  aStranger: number;
}

const LIMITS: WatchLimits = { inAll: 2000, aToken: 20, aStranger: 8 };
const RETRY = { retryAfterSeconds: 30 };

/** What `WatchSlots` must know about a caller to limit the open streams of this caller. */
type Watcher = Pick<Reader, 'limitKey' | 'isStranger'>;

/**
 * Limits the number of open streams of changes: in total, for each token, and for each address of callers without a
 * token.
 */
export class WatchSlots {
  readonly #limits: WatchLimits;
  /** Number of open streams of server changes for each reader, keyed by `Reader.limitKey`. */
  readonly #byKey = new Map<string, number>();
  #taken = 0;

  constructor(limits: WatchLimits = LIMITS) {
    this.#limits = limits;
  }

  /**
   * Reserves a stream of changes for a reader. The returned function releases the stream, and must be called only once.
   * Throws ServiceError RATE_1 if the token or the address of the reader has too many streams. Throws ServiceError
   * CORE_1 if the gRPC port has too many streams in total.
   */
  acquireSlot(watcher: Watcher): () => void {
    const { limitKey } = watcher;
    const taken = this.#byKey.get(limitKey) ?? 0;
    // `limitKey` identifies the token or the address whose open streams are counted. For an operator it is empty:
    // operators have no own limit, and only the limit for all streams of the port applies to them.
    if (limitKey !== '' && taken >= this.#mostOf(watcher)) throw this.#tooMany(watcher, taken);
    if (this.#taken >= this.#limits.inAll) {
      throw new ServiceError('CORE_1', 'As many streams watch as may; fetch instead, or try again later.', {
        ...RETRY,
        facts: { max_streams: String(this.#limits.inAll) },
      });
    }
    this.#taken++;
    this.#byKey.set(limitKey, taken + 1);
    return () => this.#release(limitKey);
  }

  #mostOf({ isStranger }: Watcher): number {
    return isStranger ? this.#limits.aStranger : this.#limits.aToken;
  }

  #tooMany(watcher: Watcher, taken: number): ServiceError {
    const { limitKey, isStranger } = watcher;
    const message = isStranger
      ? `Your address has ${taken} streams open already; follow more servers on each, end one, or send a token.`
      : `This token watches on ${taken} streams already; watch more servers on each, or end one.`;
    return new ServiceError('RATE_1', message, {
      ...RETRY,
      facts: { max_streams: String(this.#mostOf(watcher)) },
      quotaSubject: `${isStranger ? 'clientip' : 'token'}:${limitKey}`,
    });
  }

  #release(limitKey: string): void {
    this.#taken--;
    const left = (this.#byKey.get(limitKey) ?? 0) - 1;
    if (left > 0) this.#byKey.set(limitKey, left);
    else this.#byKey.delete(limitKey);
  }
}
