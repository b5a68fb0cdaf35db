/**
 * Limits of the size of condition states, in bytes. A condition state is what the core remembers about one condition of
 * a webhook for one server.
 */
export interface StateLimits {
  /** Maximum size of the states of one webhook's conditions, in bytes. */
  readonly ofWebhook: number;
  /**
   * Maximum total size of the condition states of all webhooks, in bytes. At this limit, each token gets an equal
   * share: the limit divided by the number of tokens with condition states.
   */
  readonly ofAll: number;
}

const MIB = 1024 * 1024;
const LIMITS: StateLimits = { ofWebhook: 2 * MIB, ofAll: 128 * MIB };

/**
 * Ids of the webhook and of the token to which the state of a webhook condition belongs. The size of the state counts
 * against the memory limits of both.
 */
export interface StateOwner {
  readonly hookId: string;
  readonly tokenId: string;
}

/**
 * Limits the memory for the states of webhook conditions: for each webhook, and for all webhooks together. When the
 * total limit is reached, each token can use only an equal share of it.
 */
export class StateBudget {
  readonly #limits: StateLimits;
  readonly #ofWebhook = new Map<string, number>();
  readonly #ofToken = new Map<string, number>();
  #all = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** Returns true if the states of a webhook's conditions may grow by `bytes` within all limits on their memory. */
  hasRoom({ hookId, tokenId }: StateOwner, bytes: number): boolean {
    const { ofWebhook, ofAll } = this.#limits;
    if ((this.#ofWebhook.get(hookId) ?? 0) + bytes > ofWebhook) return false;
    if (this.#all + bytes <= ofAll) return true;
    const own = this.#ofToken.get(tokenId) ?? 0;
    const tokens = this.#ofToken.size + (own === 0 ? 1 : 0);
    return own + bytes <= ofAll / tokens;
  }

  /**
   * Adds `bytes` to the counted size of the states of a webhook's conditions. A negative number subtracts. The bytes
   * count for the webhook and for its token.
   */
  count({ hookId, tokenId }: StateOwner, bytes: number): void {
    this.#all += bytes;
    addTo(this.#ofWebhook, hookId, bytes);
    addTo(this.#ofToken, tokenId, bytes);
  }
}

function addTo(sizes: Map<string, number>, key: string, bytes: number): void {
  const size = (sizes.get(key) ?? 0) + bytes;
  if (size > 0) sizes.set(key, size);
  else sizes.delete(key);
}
