/** The requests that were charged to one token. */
export interface Usage {
  /**
   * Number of requests charged to the token in each minute of the last day. The key is the minute since the Unix epoch.
   * The oldest minute comes first.
   */
  minutes: Map<number, number>;
  /**
   * The newest minute that was ever in the map `minutes`. This value stays the same if the minute is deleted from the
   * map.
   */
  newest: number;
  /** Total number of requests charged to the token: the sum of all counts in the map `minutes`. */
  total: number;
  /**
   * Minute in which old counts were last deleted. `DayQuota` deletes the counts of minutes that are more than 24 hours
   * old.
   */
  prunedAt: number;
  /** The minutes whose request count was changed or deleted in memory, but not yet in the storage engine. */
  dirty: Set<number>;
}

/**
 * Splits the name of a store entry into token id and minute. The name is `<token id>/<minute>`, with the minute in
 * minutes since the Unix epoch. Returns undefined for a malformed name.
 */
export function tokenAndMinute(name: string): { tokenId: string; minute: number } | undefined {
  const [tokenId = '', minute = ''] = name.split('/');
  return /^\d+$/.test(minute) ? { tokenId, minute: Number(minute) } : undefined;
}

/** Returns the usage of a token (its charged requests). Adds an empty usage to the map if the token has none. */
export function usageOf(usages: Map<string, Usage>, tokenId: string): Usage {
  let usage = usages.get(tokenId);
  if (!usage) {
    usage = { minutes: new Map(), newest: 0, total: 0, prunedAt: 0, dirty: new Set() };
    usages.set(tokenId, usage);
  }
  return usage;
}

/**
 * Sets the number of requests of a token in a minute. If the number is 0, removes the entry of this minute from the
 * map.
 */
export function setCount(usages: Map<string, Usage>, tokenId: string, minute: number, count: number): void {
  setMinute(usageOf(usages, tokenId), minute, count);
}

/** Sets the number of requests in a minute. Keeps the minutes in the map in order, the oldest first. */
export function setMinute(usage: Usage, minute: number, count: number): void {
  const before = usage.minutes.get(minute);
  usage.total += count - (before ?? 0);
  if (count > 0) usage.minutes.set(minute, count);
  else usage.minutes.delete(minute);
  if (minute > usage.newest) usage.newest = minute;
  // Sorts the minutes again if the added minute is older than the newest one. This happens, for example, if another
  // core reports its requests late.
  else if (before === undefined && minute < usage.newest)
    usage.minutes = new Map([...usage.minutes].sort(([a], [b]) => a - b));
}

/**
 * Returns a function that adds loaded store entries (request counts of tokens) to `usages`. The function returns false
 * for an entry with a malformed name.
 */
export function visitUsages(usages: Map<string, Usage>): (name: string, count: number) => boolean {
  return (name, count) => {
    const named = tokenAndMinute(name);
    if (named) setCount(usages, named.tokenId, named.minute, count);
    return named !== undefined;
  };
}
