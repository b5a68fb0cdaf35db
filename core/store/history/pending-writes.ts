/** A write that is not durable yet. `path`: LevelDB directory of the history that gets the write. */
export interface PendingWrite {
  readonly path: string;
  readonly key: Buffer;
  readonly content: Buffer;
}

/** Queue of writes with a maximum length. A later write of the same key replaces the earlier one. */
export class PendingWrites {
  readonly #most: number;
  /** The queued writes, keyed by directory and then by key. */
  readonly #paths = new Map<string, Map<string, PendingWrite>>();
  #size = 0;
  #dropped = 0;

  /**
   * `most`: maximum number of queued writes. If there are more, the oldest write of the oldest directory is dropped.
   */
  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Number of writes that were dropped because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Paths of the directories that have queued writes. */
  get paths(): Iterable<string> {
    return this.#paths.keys();
  }

  /** Returns the content of the queued write of a key; undefined if there is none. */
  get(path: string, key: Buffer): Buffer | undefined {
    return this.#paths.get(path)?.get(key.toString('latin1'))?.content;
  }

  /** Queues a write. Returns false if the queue was full, so that the oldest write was dropped. */
  add(write: PendingWrite): boolean {
    const writes = this.#paths.get(write.path) ?? new Map<string, PendingWrite>();
    this.#paths.set(write.path, writes);
    const before = writes.size;
    writes.set(write.key.toString('latin1'), write);
    this.#size += writes.size - before;
    if (this.#size <= this.#most) return true;
    const [oldest] = this.#paths.values();
    const [first] = oldest?.values() ?? [];
    if (first) this.finish([first]);
    this.#dropped++;
    return false;
  }

  /**
   * Returns the oldest queued writes, at most `most` for each directory. They stay in the queue until `finish` is
   * called.
   */
  batch(most: number): [path: string, writes: PendingWrite[]][] {
    return [...this.#paths].map(([path, writes]) => {
      const batch: PendingWrite[] = [];
      for (const write of writes.values()) {
        if (batch.length === most) break;
        batch.push(write);
      }
      return [path, batch];
    });
  }

  /** Returns the queued writes of one directory whose key begins with a prefix. */
  ofPrefix(path: string, prefix: Buffer): PendingWrite[] {
    const name = prefix.toString('latin1');
    return [...(this.#paths.get(path) ?? [])].flatMap(([key, write]) =>
      key.startsWith(name) ? [write] : [],
    );
  }

  /**
   * Removes writes from the queue, because they are durable now. If a newer write has replaced one of them meanwhile,
   * the newer one stays.
   */
  finish(done: readonly PendingWrite[]): void {
    for (const write of done) {
      const writes = this.#paths.get(write.path);
      const name = write.key.toString('latin1');
      if (writes?.get(name) !== write) continue;
      writes.delete(name);
      this.#size--;
      if (writes.size === 0) this.#paths.delete(write.path);
    }
  }
}
