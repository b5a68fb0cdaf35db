const WINDOW_MS = 60_000;
const MAX_IN_WINDOW = 60;

/** Limits the deliveries to each target host, over all tokens: at most 60 in any minute. */
export class HostRate {
  /** Times of the deliveries of the last minute, Unix ms, the oldest first, keyed by host. */
  readonly #sent = new Map<string, number[]>();

  /** Returns true and counts a delivery if the host can get one at `now` (Unix ms). */
  countDelivery(host: string, now: number): boolean {
    const recent = (this.#sent.get(host) ?? []).filter(at => at > now - WINDOW_MS && at <= now);
    const isAllowed = recent.length < MAX_IN_WINDOW;
    if (isAllowed) recent.push(now);
    this.#sent.set(host, recent);
    return isAllowed;
  }

  /** Forgets hosts without a delivery in the last minute. */
  prune(now: number): void {
    for (const [host, times] of this.#sent)
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.#sent.delete(host);
  }
}
