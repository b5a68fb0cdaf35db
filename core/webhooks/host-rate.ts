const WINDOW_MS = 60_000;
const MAX_IN_WINDOW = 60;

/** Limits the deliveries to each target host to 60 in any minute, for all tokens together. */
export class HostRate {
  /** Times of the deliveries to each host in the last minute, Unix ms, the oldest first. Keyed by host. */
  readonly #sent = new Map<string, number[]>();

  /**
   * If the host may get a delivery at `now` (Unix ms), counts the delivery and returns true. Otherwise returns false.
   */
  countDelivery(host: string, now: number): boolean {
    const recent = (this.#sent.get(host) ?? []).filter(at => at > now - WINDOW_MS && at <= now);
    const isAllowed = recent.length < MAX_IN_WINDOW;
    if (isAllowed) recent.push(now);
    this.#sent.set(host, recent);
    return isAllowed;
  }

  /** Forgets the hosts that got no delivery in the last minute. */
  prune(now: number): void {
    for (const [host, times] of this.#sent)
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.#sent.delete(host);
  }
}
