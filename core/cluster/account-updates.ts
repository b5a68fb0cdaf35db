import { storedUsage, USAGES } from '../access/day-quota.ts';
import { LAST_USES, storedLastUse } from '../access/last-use.ts';
import type { OwnCharges } from '../access/own-charges.ts';
import { TOKENS } from '../access/token-entry.ts';
import { tokenAndMinute } from '../access/token-usage.ts';
import type { AccountState, SentEntry } from './account-entries.ts';
import type { AccountMessage } from './account-feed.ts';

type UsageCount = [tokenId: string, minute: number, count: number];

/**
 * Copies the tokens, and the number of requests of each token, from the lead (the core that writes the tokens) to this
 * core. The lead does not know the latest requests at this core yet. Therefore this class adds them to the copied
 * numbers.
 */
export class AccountUpdates {
  readonly #state: AccountState;
  readonly #own: OwnCharges;
  /**
   * Received part of the first complete copy of the accounts, which the lead core sends in several messages. Undefined
   * when the copy is complete and applied.
   */
  #copy: { tokenIds: Set<string>; usages: UsageCount[] } | undefined = { tokenIds: new Set(), usages: [] };

  constructor(state: AccountState, own: OwnCharges) {
    this.#state = state;
    this.#own = own;
  }

  /** True when this core has applied a complete copy of the accounts (tokens and their usage) of the lead core. */
  get isComplete(): boolean {
    return this.#copy === undefined;
  }

  /**
   * Applies a message with accounts from the lead core. Throws an Error if the lead hashes the secrets of tokens with a
   * different key than this core.
   */
  apply({ entries, complete, charged }: AccountMessage): void {
    const usages = this.#copy?.usages ?? [];
    for (const entry of entries) this.#applyEntry(entry, usages);
    if (!complete) return;
    const included = this.#own.include(charged);
    const { tokens, quota } = this.#state;
    if (this.#copy) {
      tokens.retain(this.#copy.tokenIds);
      quota.replaceAll(usages);
      for (const { tokenId, minute, requests } of this.#own.all())
        if (requests > 0) quota.setCount(tokenId, minute, quota.countOf(tokenId, minute) + requests);
      this.#copy = undefined;
      return;
    }
    for (const { tokenId, minute, requests } of included)
      quota.setCount(tokenId, minute, Math.max(0, quota.countOf(tokenId, minute) - requests));
    for (const [tokenId, minute, count] of usages)
      quota.setCount(tokenId, minute, count + this.#own.count(tokenId, minute));
  }

  #applyEntry({ key, value }: SentEntry, usages: UsageCount[]): void {
    const { tokens, lastUse } = this.#state;
    if (key.startsWith(TOKENS)) {
      this.#copy?.tokenIds.add(key.slice(TOKENS.length));
      tokens.apply(key, value);
    } else if (key.startsWith(USAGES)) {
      const named = tokenAndMinute(key.slice(USAGES.length));
      const count = value.length === 0 ? 0 : storedUsage(key, value)?.count;
      if (named && count !== undefined) usages.push([named.tokenId, named.minute, count]);
    } else if (key.startsWith(LAST_USES)) {
      const stored = storedLastUse(key, value);
      if (stored) lastUse.setTime(stored.tokenId, stored.at);
    } else if (key === tokens.keyCheck.key && !tokens.keyCheck.value.equals(value)) {
      throw new Error(
        'token.key in the data directory of this core is not the key of the cluster; copy the file from another core',
      );
    }
  }
}
