import type { Metadata } from '@grpc/grpc-js';
import { LINK_ID_KEY } from '../../proto/clients.ts';
import type { FetchedPair } from '../servers/fetch-request.ts';

/**
 * Number of charged calls that are remembered for each link; a power of two. A gateway sends only unanswered calls
 * again. It has at most 1000 of them, and they are among its newest calls.
 */
const CHARGED_CALLS = 65_536;
/** Maximum number of addresses in all fetches that are remembered for one link. An address takes about 600 bytes. */
const MAX_ADDRESSES = 10_000;
/** Maximum number of links that are remembered. A gateway has one link, and gets a new link id when it starts again. */
const MAX_LINKS = 16;

/** A fetch that inserts servers, or that has not ended yet. */
interface RememberedFetch {
  addresses: number;
  result: Promise<FetchedPair[]>;
}

/**
 * The newest calls of one link (a gateway process), keyed by call id. If a stream breaks, the gateway does not know
 * which calls the core has received, and sends all unanswered calls again. With this memory, the core charges a
 * repeated call only once, and answers it with the servers that the first call inserted.
 */
export class CallMemory {
  /** Ring buffer of the ids of charged calls. The low bits of an id are its index. */
  readonly #charged = new Uint32Array(CHARGED_CALLS);
  /** Fetches in the order in which they started. */
  readonly #fetches = new Map<number, RememberedFetch>();
  #addresses = 0;

  constructor() {
    // An element that was never written must not look like a charged call. Only the id 0 has the index 0 and the value
    // 0.
    this.#charged[0] = 1;
  }

  /** Returns true if this call was charged before, so it is repeated. */
  wasCharged(id: number): boolean {
    return this.#charged[id & (CHARGED_CALLS - 1)] === id;
  }

  noteCharged(id: number): void {
    this.#charged[id & (CHARGED_CALLS - 1)] = id;
  }

  /**
   * Returns the result of an earlier fetch with this call id. The fetch perhaps still runs. Returns undefined if the
   * earlier call inserted no servers, so that executing the fetch again has the same result.
   */
  findFetch(id: number): Promise<FetchedPair[]> | undefined {
    return this.#fetches.get(id)?.result;
  }

  /**
   * Remembers a running fetch. Forgets it at its end if it inserted no servers or failed. `addresses`: number of
   * addresses in the fetch.
   */
  rememberFetch(id: number, addresses: number, result: Promise<FetchedPair[]>): void {
    this.#fetches.set(id, { addresses, result });
    this.#addresses += addresses;
    result.then(
      pairs => {
        if (!pairs.some(({ inserted }) => inserted)) this.#forgetFetch(id);
      },
      () => this.#forgetFetch(id),
    );
    for (const oldest of this.#fetches.keys()) {
      if (this.#addresses <= MAX_ADDRESSES) return;
      this.#forgetFetch(oldest);
    }
  }

  #forgetFetch(id: number): void {
    this.#addresses -= this.#fetches.get(id)?.addresses ?? 0;
    this.#fetches.delete(id);
  }
}

/** The call memories of the links that opened a stream last. */
export class CallMemories {
  readonly #memories = new Map<string, CallMemory>();

  /** Returns the memory for the calls of a stream. Returns undefined if the stream has no link id in its metadata. */
  memoryFor(metadata: Metadata): CallMemory | undefined {
    const [value] = metadata.get(LINK_ID_KEY);
    if (value === undefined) return undefined;
    const linkId = String(value);
    const memory = this.#memories.get(linkId) ?? new CallMemory();
    // Moves the link to the end of the map, so that the first link of the map is the one to forget next.
    this.#memories.delete(linkId);
    this.#memories.set(linkId, memory);
    for (const oldest of this.#memories.keys()) {
      if (this.#memories.size <= MAX_LINKS) break;
      this.#memories.delete(oldest);
    }
    return memory;
  }
}
