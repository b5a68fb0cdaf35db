import type { Metadata } from '@grpc/grpc-js';
import { LINK_ID_KEY } from '../../proto/clients.ts';
import type { FetchedPair } from '../servers/fetch-request.ts';

/**
 * For each gateway, the core remembers this number of calls that it has counted against a quota. A power of two. After
 * a broken stream, a gateway repeats only unanswered calls, at most the newest 1000, so 65,536 calls are enough.
 */
const CHARGED_CALLS = 65_536;
/**
 * Maximum total number of addresses in the fetches that `CallMemory` stores for one gateway. An address takes about 600
 * bytes.
 */
const MAX_ADDRESSES = 10_000;
/**
 * Maximum number of links (gateway processes) whose calls the core remembers. After a restart, a gateway has a new link
 * id.
 */
const MAX_LINKS = 16;

/** A fetch that `CallMemory` remembers, because the fetch is still running or has inserted servers. */
interface RememberedFetch {
  addresses: number;
  result: Promise<FetchedPair[]>;
}

/**
 * The newest calls of one gateway process (link), keyed by call id. If a stream breaks, the gateway sends all
 * unanswered calls again. A repeated call is charged only once, and answered with the servers that the first call
 * inserted.
 */
export class CallMemory {
  /**
   * Ring buffer of call ids. It contains the newest calls that the core has counted against the quota of the caller's
   * token. The index of an id is the id modulo CHARGED_CALLS.
   */
  readonly #charged = new Uint32Array(CHARGED_CALLS);
  /**
   * Remembered fetches of one gateway process, keyed by call id, in the order in which they started. A fetch is
   * remembered while it is running. If it has inserted servers, it is also remembered afterwards.
   */
  readonly #fetches = new Map<number, RememberedFetch>();
  #addresses = 0;

  constructor() {
    // A new array contains only zeros, so `wasCharged(0)` would return true before any call. The value 1 at index 0
    // prevents this. This value does no harm, because the call with the id 1 is looked up only at index 1.
    this.#charged[0] = 1;
  }

  /**
   * True if the core has already counted this call against the quota of its token. In this case, the gateway is
   * repeating the call.
   */
  wasCharged(id: number): boolean {
    return this.#charged[id & (CHARGED_CALLS - 1)] === id;
  }

  noteCharged(id: number): void {
    this.#charged[id & (CHARGED_CALLS - 1)] = id;
  }

  /**
   * Returns the result of an earlier fetch with this call id. The promise is pending while this fetch is still running.
   * Returns undefined if no such fetch is remembered, for example because it inserted no servers.
   */
  findFetch(id: number): Promise<FetchedPair[]> | undefined {
    return this.#fetches.get(id)?.result;
  }

  /**
   * Returns the result of the remembered fetch with this call id. If no such fetch is remembered, calls `fetch`,
   * remembers the new fetch and returns its result. Forgets the new fetch when it ends, if it has failed or inserted no
   * servers. `addresses`: number of addresses in the fetch.
   */
  fetchOnce(id: number, addresses: number, fetch: () => Promise<FetchedPair[]>): Promise<FetchedPair[]> {
    const earlier = this.findFetch(id);
    if (earlier) return earlier;
    const result = fetch();
    this.#fetches.set(id, { addresses, result });
    this.#addresses += addresses;
    result.then(
      pairs => {
        if (!pairs.some(({ inserted }) => inserted)) this.#forgetFetch(id);
      },
      () => this.#forgetFetch(id),
    );
    for (const oldest of this.#fetches.keys()) {
      if (this.#addresses <= MAX_ADDRESSES) break;
      this.#forgetFetch(oldest);
    }
    return result;
  }

  #forgetFetch(id: number): void {
    this.#addresses -= this.#fetches.get(id)?.addresses ?? 0;
    this.#fetches.delete(id);
  }
}

/**
 * Keeps one `CallMemory` of recent calls for each gateway process, keyed by the link id of the process. Keeps at most
 * MAX_LINKS of them, for the processes that opened a stream most recently.
 */
export class CallMemories {
  readonly #memories = new Map<string, CallMemory>();

  /**
   * Returns the `CallMemory` (the recent calls) of the gateway process that opened a stream. The process sends its
   * random link id in the metadata of the stream. Returns undefined if the metadata contains no link id.
   */
  memoryFor(metadata: Metadata): CallMemory | undefined {
    const [value] = metadata.get(LINK_ID_KEY);
    if (value === undefined) return undefined;
    const linkId = String(value);
    const memory = this.#memories.get(linkId) ?? new CallMemory();
    // Moves this gateway to the end of the map, because it has just opened a stream. If the map is too large, the
    // gateways at its start are removed.
    this.#memories.delete(linkId);
    this.#memories.set(linkId, memory);
    for (const oldest of this.#memories.keys()) {
      if (this.#memories.size <= MAX_LINKS) break;
      this.#memories.delete(oldest);
    }
    return memory;
  }
}
