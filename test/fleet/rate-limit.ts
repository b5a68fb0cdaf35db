/** Returns true if the server answers a packet that the address `from` sends at the time `now`, in milliseconds. */
export type RateLimit = (from: string, now: number) => boolean;

/**
 * The leaky bucket of ioquake3 and its forks. It admits a burst of 10 packets per address, and then one packet per
 * second (`SVC_RateLimitAddress` in code/server/sv_main.c of https://github.com/ioquake/ioq3).
 */
export function ioquake3Limit(burst = 10, periodMs = 1000): RateLimit {
  const buckets = new Map<string, { level: number; since: number }>();
  return (from, now) => {
    const bucket = buckets.get(from) ?? { level: 0, since: now };
    buckets.set(from, bucket);
    const leaked = Math.floor((now - bucket.since) / periodMs);
    if (leaked > bucket.level) {
      bucket.level = 0;
      bucket.since = now;
    } else {
      bucket.level -= leaked;
      bucket.since += leaked * periodMs;
    }
    if (bucket.level >= burst) return false;
    bucket.level++;
    return true;
  };
}

/**
 * The rate limit of the Source engine for each address. A window of `windowSeconds` seconds admits `perSecond` *
 * `windowSeconds` queries (`sv_max_queries_sec` 3 and `sv_max_queries_window` 30,
 * https://developer.valvesoftware.com/wiki/Server_queries).
 */
export function sourceLimit(perSecond = 3, windowSeconds = 30): RateLimit {
  const windows = new Map<string, { began: number; queries: number }>();
  return (from, now) => {
    let window = windows.get(from);
    if (!window || now - window.began >= windowSeconds * 1000) {
      window = { began: now, queries: 0 };
      windows.set(from, window);
    }
    window.queries++;
    return window.queries <= perSecond * windowSeconds;
  };
}
