import type { Operation, WrittenGroup } from '../storage-engine.ts';

/** Operations that nobody waits for are written when so many gathered, or after so long. */
const GROUP_OPERATIONS = 200;
const GROUP_MS = 5;
/** Operations that may be queued without anybody waiting for them. */
const MAX_BACKLOG = 20_000;

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

interface Group {
  operations: Operation[];
  /** Callers that asked for durability; a group with any is synced. */
  waiters: Waiter[];
}

/** What a `GroupCommit` writes with, and tells. */
export interface GroupWriter {
  /** Writes all operations or none; may add some to them. */
  write(operations: Operation[], sync: boolean, done: (error?: Error | null) => void): void;
  onWritten(write: WrittenGroup): void;
  /** A group failed. Has to call `rejectAll` before it returns. */
  onFailure(cause: Error): void;
}

const emptyGroup = (): Group => ({ operations: [], waiters: [] });
const isEmpty = ({ operations, waiters }: Group): boolean => operations.length + waiters.length === 0;

/** Group commit: operations that come while a group is being written form the next one, so that they share an fsync. */
export class GroupCommit {
  readonly #writer: GroupWriter;
  #next = emptyGroup();
  /** Whether a group is being written, or none may be for now. */
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(writer: GroupWriter) {
    this.#writer = writer;
  }

  /** Queues operations; resolves when they are durable. Rejects as `rejectAll` says. */
  commit(operations: readonly Operation[]): Promise<void> {
    return new Promise((resolve, reject) => {
      for (const operation of operations) this.#next.operations.push(operation);
      this.#next.waiters.push({ resolve, reject });
      this.#schedule();
    });
  }

  /** Queues an operation that nobody waits for; false if too many are queued. */
  append(operation: Operation): boolean {
    if (this.#next.operations.length >= MAX_BACKLOG) return false;
    this.#next.operations.push(operation);
    this.#schedule();
    return true;
  }

  /** Resolves when nothing is queued or being written. */
  async drain(): Promise<void> {
    if (isEmpty(this.#next) && !this.#isBusy) return;
    await new Promise<void>(resolve => {
      this.#onIdle = resolve;
      this.#flush();
    });
    this.#onIdle = undefined;
  }

  /** Runs `work` while nothing is being written; what is queued meanwhile is written afterwards. */
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

  /** Drops everything queued and rejects everybody who waits. */
  rejectAll(error: Error): void {
    for (const waiter of this.#next.waiters) waiter.reject(error);
    this.#next = emptyGroup();
    this.#onIdle?.();
  }

  #schedule(): void {
    if (this.#isBusy) return;
    if (this.#next.waiters.length > 0 || this.#next.operations.length >= GROUP_OPERATIONS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), GROUP_MS);
  }

  #flush(): void {
    if (this.#isBusy) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const group = this.#next;
    if (isEmpty(group)) {
      this.#onIdle?.();
      return;
    }
    this.#next = emptyGroup();
    this.#isBusy = true;
    const began = performance.now();
    const sync = group.waiters.length > 0;
    this.#writer.write(group.operations, sync, error => {
      this.#isBusy = false;
      if (error) {
        this.#next.waiters.unshift(...group.waiters);
        this.#writer.onFailure(error);
        return;
      }
      for (const waiter of group.waiters) waiter.resolve();
      const seconds = (performance.now() - began) / 1000;
      this.#writer.onWritten({ operations: group.operations.length, sync, seconds });
      // Operations that gathered while this group was being written are due at once.
      this.#flush();
    });
  }
}
