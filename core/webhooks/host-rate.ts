const WINDOW_MS = 60_000;
const MAX_IN_WINDOW = 60;

/** Limits the deliveries to each target host to 60 in any minute, for all tokens together. */
export class HostRate {
  /** Times of the deliveries to each host in the last minute, Unix ms, the oldest first. Keyed by host. */
  readonly #sent = new Map<string, number[]>();

  /** True if the host may get no delivery at `now` (Unix ms), because it got 60 in the last minute. */
  isFull(host: string, now: number): boolean {
    return this.#recent(host, now).length >= MAX_IN_WINDOW;
  }

  /** Counts a delivery to the host at `now` (Unix ms). */
  countDelivery(host: string, now: number): void {
    this.#sent.set(host, [...this.#recent(host, now), now]);
  }

  /** Forgets the hosts that got no delivery in the last minute. */
  prune(now: number): void {
    for (const [host, times] of this.#sent)
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) this.#sent.delete(host);
  }

  #recent(host: string, now: number): number[] {
    return (this.#sent.get(host) ?? []).filter(at => at > now - WINDOW_MS && at <= now);
  }
}
