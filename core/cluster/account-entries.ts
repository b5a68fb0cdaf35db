import { type DayQuota, USAGES, usageEntry } from '../access/day-quota.ts';
import { LAST_USES, type LastUse, lastUseEntry } from '../access/last-use.ts';
import { TOKENS, tokenEntry } from '../access/token-entry.ts';
import { tokenAndMinute } from '../access/token-usage.ts';
import type { Tokens } from '../access/tokens.ts';

/** Tokens, their usage, and the times of their last use, as a core has them in memory. */
export interface AccountState {
  tokens: Tokens;
  quota: DayQuota;
  lastUse: LastUse;
}

/**
 * A store entry about a token. The lead (the core that writes tokens) sends these entries to the other cores. An empty
 * value means that the entry was deleted.
 */
export interface SentEntry {
  readonly key: string;
  readonly value: Buffer;
}

const DELETED = Buffer.alloc(0);

/** Yields all store entries about tokens. The first entry is the check value of the token key (see `checkValueOf`). */
export function* allEntries({ tokens, quota, lastUse }: AccountState): Generator<SentEntry, undefined> {
  yield tokens.keyCheck;
  for (const token of tokens.list()) yield tokenEntry(token);
  for (const [tokenId, minute, count] of quota.usages()) yield usageEntry(tokenId, minute, count);
  for (const [tokenId, at] of lastUse.times()) yield lastUseEntry(tokenId, at);
}

/**
 * Yields the keys of the store entries (usage of tokens, and time of their last use) that have changed since the last
 * call.
 */
export function* takeChangedKeys({ quota, lastUse }: AccountState): Generator<string, undefined> {
  for (const [tokenId, minutes] of quota.takeChanges())
    for (const minute of minutes) yield `${USAGES}${tokenId}/${minute}`;
  for (const tokenId of lastUse.takeChanges()) yield LAST_USES + tokenId;
}

/**
 * Returns the store entry with this key, built from the current state in memory. A deleted entry has an empty value.
 */
export function entryOf({ tokens, quota, lastUse }: AccountState, key: string): SentEntry {
  if (key.startsWith(TOKENS)) {
    const token = tokens.get(key.slice(TOKENS.length));
    return token ? tokenEntry(token) : { key, value: DELETED };
  }
  if (key.startsWith(LAST_USES)) {
    const tokenId = key.slice(LAST_USES.length);
    return lastUseEntry(tokenId, lastUse.at(tokenId));
  }
  const named = tokenAndMinute(key.slice(USAGES.length));
  const count = named ? quota.countOf(named.tokenId, named.minute) : 0;
  return named && count > 0 ? usageEntry(named.tokenId, named.minute, count) : { key, value: DELETED };
}
