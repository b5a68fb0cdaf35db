import { setImmediate as turn } from 'node:timers/promises';

/** The changes of stored data that are not durable yet. */
export class PendingChanges {
  readonly #pending = new Set<Promise<unknown>>();

  /** Tracks a change of stored data until its promise `change` resolves or rejects. Returns this promise. */
  add<Result>(change: Promise<Result>): Promise<Result> {
    this.#pending.add(change);
    const end = (): void => {
      this.#pending.delete(change);
    };
    change.then(end, end);
    return change;
  }

  /**
   * Waits for the changes of stored data that are pending at the time of this call. Resolves when each change has
   * succeeded or failed, and its caller has handled the result.
   */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#pending);
    await turn();
  }
}
