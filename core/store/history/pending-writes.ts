/** A write that is not durable yet. `path`: directory of the history. */
export interface PendingWrite {
  readonly path: string;
  readonly key: Buffer;
  readonly content: Buffer;
}

function nameOf(path: string, key: Buffer): string {
  return path + key.toString('latin1');
}

/** Bounded queue of writes. A later write of the same key replaces the earlier one. */
export class PendingWrites {
  readonly #most: number;
  readonly #writes = new Map<string, PendingWrite>();
  #dropped = 0;

  /** `most`: largest number of writes. Beyond it, the oldest write is dropped. */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#writes.size;
  }

  /** Number of writes that were dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Returns the content that waits to be written for a key. */
  get(path: string, key: Buffer): Buffer | undefined {
    return this.#writes.get(nameOf(path, key))?.content;
  }

  /** Queues a write. Returns false if the oldest write was dropped for it. */
  add(write: PendingWrite): boolean {
    const name = nameOf(write.path, write.key);
    this.#writes.set(name, write);
    if (this.#writes.size <= this.#most) return true;
    const [oldest] = this.#writes.keys();
    if (oldest !== undefined) this.#writes.delete(oldest);
    this.#dropped++;
    return false;
  }

  /** Returns the oldest writes, at most `most`, grouped by path. They stay in the queue until `finish`. */
  batch(most: number): Map<string, PendingWrite[]> {
    const groups = new Map<string, PendingWrite[]>();
    let count = 0;
    for (const write of this.#writes.values()) {
      if (++count > most) break;
      const group = groups.get(write.path);
      if (group) group.push(write);
      else groups.set(write.path, [write]);
    }
    return groups;
  }

  /** Returns the queued writes of one directory whose key begins with a prefix. */
  ofPrefix(path: string, prefix: Buffer): PendingWrite[] {
    const name = nameOf(path, prefix);
    return [...this.#writes].flatMap(([key, write]) => (key.startsWith(name) ? [write] : []));
  }

  /** Removes writes that are durable now. A write that was replaced meanwhile stays. */
  finish(writes: readonly PendingWrite[]): void {
    for (const write of writes) {
      const name = nameOf(write.path, write.key);
      if (this.#writes.get(name) === write) this.#writes.delete(name);
    }
  }
}
