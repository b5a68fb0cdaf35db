import type { WrittenGroup } from './storage-engine.ts';

/**
 * Limits of a group of operations that are written together. The group is written when it has `operations` operations,
 * or `delayMs` milliseconds after its first operation. But if a caller waits for the group, it is written immediately.
 */
export interface GroupLimits {
  operations: number;
  delayMs: number;
}

/** Maximum number of queued operations. `append` refuses more. */
const MAX_BACKLOG = 20_000;

interface Waiter<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

interface Group<Operation, Result> {
  operations: Operation[];
  /**
   * Callers of `commit` that wait until this group of operations is durable. If there are such callers, the group is
   * written durably (`sync`).
   */
  waiters: Waiter<Result>[];
}

/** The functions that a `GroupCommit` calls. `Result`: type of the value to which `commit` resolves. */
export interface GroupWriter<Operation, Result> {
  /**
   * Writes a group of operations, and calls `done` once. If `sync` is true, calls `done` only when the operations are
   * durable. This function may add operations to `operations`, for example one that stores the new number of entries.
   */
  write(
    operations: Operation[],
    sync: boolean,
    done: (error: Error | undefined, result: Result) => void,
  ): void;
  onWritten(write: WrittenGroup): void;
  /**
   * Called if a group of operations could not be written to the store. The callback must call `rejectAll` before it
   * returns.
   */
  onFailure(cause: Error): void;
}

/**
 * Group commit: operations that arrive while a group is being written form the next group. All operations of a group
 * share one fsync, or one wait for the replicas of a distributed engine.
 */
export class GroupCommit<Operation, Result> {
  readonly #limits: GroupLimits;
  readonly #writer: GroupWriter<Operation, Result>;
  #next: Group<Operation, Result> = { operations: [], waiters: [] };
  /**
   * True while a group of operations is being written to the store, or while `runAlone` runs its `work`. During this
   * time, no new write begins.
   */
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(limits: GroupLimits, writer: GroupWriter<Operation, Result>) {
    this.#limits = limits;
    this.#writer = writer;
  }

  /**
   * Queues operations for the next group. When the whole group is durable, resolves to the result of its write. Rejects
   * with the error that is passed to `rejectAll`.
   */
  commit(operations: readonly Operation[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      for (const operation of operations) this.#next.operations.push(operation);
      this.#next.waiters.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Queues an operation and does not wait until it is written. Returns false if the queue is full. */
  append(operation: Operation): boolean {
    if (this.#next.operations.length >= MAX_BACKLOG) return false;
    this.#next.operations.push(operation);
    this.#schedule();
    return true;
  }

  /** Waits until no operation is queued or being written. */
  async drain(): Promise<void> {
    if (this.#isEmpty && !this.#isBusy) return;
    await new Promise<void>(resolve => {
      this.#onIdle = resolve;
      this.#flush();
    });
    this.#onIdle = undefined;
  }

  /**
   * Runs `work` while no operations are being written to the store. Operations that arrive during `work` are written
   * after it.
   */
  async runAlone(work: () => Promise<void>): Promise<void> {
    await this.drain();
    this.#isBusy = true;
    try {
      await work();
    } finally {
      this.#isBusy = false;
      this.#flush();
    }
  }

  /** Drops all queued operations and rejects all waiting callers with `error`. */
  rejectAll(error: Error): void {
    for (const waiter of this.#next.waiters) waiter.reject(error);
    this.#next = { operations: [], waiters: [] };
    this.#onIdle?.();
  }

  /** True if nothing is queued for the next group: no operation and no waiting caller. */
  get #isEmpty(): boolean {
    return this.#next.operations.length + this.#next.waiters.length === 0;
  }

  #schedule(): void {
    if (this.#isBusy) return;
    const { operations, waiters } = this.#next;
    if (waiters.length > 0 || operations.length >= this.#limits.operations) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), this.#limits.delayMs);
  }

  #flush(): void {
    if (this.#isBusy) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#next;
    if (this.#isEmpty) {
      this.#onIdle?.();
      return;
    }
    this.#next = { operations: [], waiters: [] };
    this.#isBusy = true;
    const began = performance.now();
    const sync = group.waiters.length > 0;
    this.#writer.write(group.operations, sync, (error, result) => {
      this.#isBusy = false;
      if (error) {
        this.#next.waiters.unshift(...group.waiters);
        this.#writer.onFailure(error);
        return;
      }
      for (const waiter of group.waiters) waiter.resolve(result);
      const seconds = (performance.now() - began) / 1000;
      this.#writer.onWritten({ operations: group.operations.length, sync, seconds });
      // Starts to write the operations that were queued while the previous group was being written.
      this.#flush();
    });
  }
}
