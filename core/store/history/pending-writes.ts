/** A write that is not durable yet. `path`: LevelDB directory of the history that gets the write. */
export interface PendingWrite {
  readonly path: string;
  readonly key: Buffer;
  readonly content: Buffer;
}

/** Length of the key prefixes by which `ofPrefix` finds queued writes, in bytes. */
const PREFIX_BYTES = 9;

/** Bounded queue of writes to the history. A later write of the same key replaces the earlier one. */
export class PendingWrites {
  readonly #most: number;
  /** The queued writes, keyed by directory and then by key. */
  readonly #paths = new Map<string, Map<string, PendingWrite>>();
  /**
   * Index that `ofPrefix` uses: sets of queued keys that are longer than PREFIX_BYTES. The keys of a set have the same
   * directory and the same first PREFIX_BYTES bytes.
   */
  readonly #longer = new Map<string, Set<string>>();
  #size = 0;
  #dropped = 0;

  /**
   * `most`: maximum number of queued writes. If the queue is full, each new write displaces an old one. The queue
   * chooses the directory that has had queued writes for the longest time, and drops its oldest write.
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

  /** True if writes to the LevelDB directory with this path are queued. */
  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Returns the content of the queued write of a key. Returns undefined if no write of this key is queued. */
  get(path: string, key: Buffer): Buffer | undefined {
    return this.#paths.get(path)?.get(key.toString('latin1'))?.content;
  }

  /** Queues a write. Returns false if the queue was full and an old write was dropped. */
  add(write: PendingWrite): boolean {
    const writes = this.#paths.get(write.path) ?? new Map<string, PendingWrite>();
    this.#paths.set(write.path, writes);
    const before = writes.size;
    const name = write.key.toString('latin1');
    writes.set(name, write);
    this.#size += writes.size - before;
    if (write.key.length > PREFIX_BYTES) this.#addLonger(write.path, name);
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

  /**
   * Finds queued writes to the directory `path` by the beginning of their keys. Returns the writes with a key that
   * begins with `prefix` and is longer than `prefix`. `prefix` must have PREFIX_BYTES bytes.
   */
  ofPrefix(path: string, prefix: Buffer): PendingWrite[] {
    const names = this.#longer.get(path + prefix.toString('latin1')) ?? [];
    return [...names].flatMap(name => this.#paths.get(path)?.get(name) ?? []);
  }

  #addLonger(path: string, name: string): void {
    const place = path + name.slice(0, PREFIX_BYTES);
    const names = this.#longer.get(place) ?? new Set<string>();
    this.#longer.set(place, names.add(name));
  }

  #deleteLonger(path: string, name: string): void {
    const place = path + name.slice(0, PREFIX_BYTES);
    const names = this.#longer.get(place);
    names?.delete(name);
    if (names?.size === 0) this.#longer.delete(place);
  }

  /**
   * Removes writes from the queue, because they are durable now. If a newer write has replaced one of them meanwhile,
   * the newer write stays in the queue.
   */
  finish(done: readonly PendingWrite[]): void {
    for (const write of done) {
      const writes = this.#paths.get(write.path);
      const name = write.key.toString('latin1');
      if (writes?.get(name) !== write) continue;
      writes.delete(name);
      if (name.length > PREFIX_BYTES) this.#deleteLonger(write.path, name);
      this.#size--;
      if (writes.size === 0) this.#paths.delete(write.path);
    }
  }
}
