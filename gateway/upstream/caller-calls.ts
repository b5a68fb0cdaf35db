import { limitKeyOf } from '../../net/network.ts';

/** Counts the calls in progress of each caller. A caller is identified by its IPv4 address or its IPv6 /64 network. */
export class CallerCalls {
  readonly #counts = new Map<string, number>();

  addCall(address: string): void {
    const caller = limitKeyOf(address);
    this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1);
  }

  removeCall(address: string): void {
    const caller = limitKeyOf(address);
    const left = (this.#counts.get(caller) ?? 0) - 1;
    if (left > 0) this.#counts.set(caller, left);
    else this.#counts.delete(caller);
  }

  /**
   * Returns true if a caller already has its fair share of `limit` calls: the limit divided by the number of callers,
   * but at least one call.
   */
  hasFairShare(address: string, limit: number): boolean {
    return (this.#counts.get(limitKeyOf(address)) ?? 0) >= Math.max(1, limit / this.#counts.size);
  }
}
