/** Counts the calls in progress of each caller. A caller is identified by its address. */
export class CallerCalls {
  readonly #counts = new Map<string, number>();

  addCall(caller: string): void {
    this.#counts.set(caller, (this.#counts.get(caller) ?? 0) + 1);
  }

  removeCall(caller: string): void {
    const left = (this.#counts.get(caller) ?? 0) - 1;
    if (left > 0) this.#counts.set(caller, left);
    else this.#counts.delete(caller);
  }

  /**
   * Returns true if a caller already has its fair share of `limit` calls: the limit divided by the number of callers,
   * but at least one call.
   */
  hasFairShare(caller: string, limit: number): boolean {
    return (this.#counts.get(caller) ?? 0) >= Math.max(1, limit / this.#counts.size);
  }
}
