import { COUNTED_NOUNS, type Counted } from '../../../core/store/counted-prefixes.ts';
import { NoWrites } from '../../../core/store/no-writes.ts';
import type { SetDigest } from '../../../core/store/set-digest.ts';
import type {
  CountedPut,
  Operation,
  StorageEngine,
  StoredEntry,
  WrittenGroup,
} from '../../../core/store/storage-engine.ts';
import { StoreDamage } from '../../../core/store/store-damage.ts';

/** Keys and values on a simulated disk. They stay there when a simulated process ends. */
export type DurableEntries = Map<string, Buffer>;

const PAGE = 2;

/**
 * A storage engine for tests. Its simulated disk is a Map, and several engines can share one Map. Writes are
 * asynchronous and in order. A write resolves when the Map contains its values.
 */
export class MapEngine implements StorageEngine {
  readonly #durable: DurableEntries;
  #queue: Promise<void> = Promise.resolve();
  #pause: NoWrites | undefined;
  #isClosed = false;
  #onWritten: (write: WrittenGroup) => void = () => {};
  readonly failed = false;

  constructor(durable: DurableEntries) {
    this.#durable = durable;
  }

  get refusal(): NoWrites | undefined {
    return this.#isClosed ? new NoWrites('the engine is closed') : this.#pause;
  }

  async readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void> {
    for await (const [key, value] of this.entries(prefix)) visit(key, value);
  }

  async *entries(prefix: string, after = ''): AsyncGenerator<StoredEntry, undefined> {
    for (let last = after; ; ) {
      await this.#queue;
      const page = [...this.#durable]
        .filter(([key]) => key.startsWith(prefix) && key > last)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .slice(0, PAGE);
      for (const [key, value] of page) yield [key, Buffer.from(value)];
      if (page.length < PAGE) return;
      last = page.at(-1)?.[0] ?? last;
    }
  }

  async insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>> {
    const winners = new Map<string, Buffer>();
    await this.#write(entries.length, true, () => {
      for (const { key, value } of entries) {
        const winner = this.#durable.get(key);
        if (winner) winners.set(key, Buffer.from(winner));
        else this.#durable.set(key, Buffer.from(value));
      }
    });
    return winners;
  }

  async commit(operations: readonly Operation[]): Promise<void> {
    await this.#write(operations.length, true, () => {
      for (const operation of operations) this.#apply(operation);
    });
  }

  append(operation: Operation): boolean {
    if (this.refusal) return false;
    void this.#write(1, false, () => this.#apply(operation));
    return true;
  }

  verify(prefix: Counted, loaded: SetDigest): void {
    const count = [...this.#durable.keys()].filter(key => key.startsWith(prefix)).length;
    if (count !== loaded.count)
      throw this.damage(`${loaded.count} ${COUNTED_NOUNS[prefix]} were loaded of ${count}`);
  }

  damage(what: string): StoreDamage {
    return new StoreDamage('memory', what);
  }

  async finishLoading(): Promise<void> {}

  pause(reason: string | undefined): void {
    this.#pause = reason === undefined ? undefined : new NoWrites(reason);
  }

  async recover(compare: () => Promise<Operation[]>): Promise<void> {
    await this.commit(await compare());
  }

  async areFilesGone(): Promise<boolean> {
    return false;
  }

  resetDigest(): void {}

  watchWrites(onWritten: (write: WrittenGroup) => void): void {
    this.#onWritten = onWritten;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue;
  }

  #apply(operation: Operation): void {
    if (operation.type === 'put') this.#durable.set(operation.key, Buffer.from(operation.value));
    else this.#durable.delete(operation.key);
  }

  /** Applies a write after all earlier writes. The caller must not change the values until the write is applied. */
  #write(operations: number, sync: boolean, apply: () => void): Promise<void> {
    const { refusal } = this;
    if (refusal) return Promise.reject(refusal);
    const written = this.#queue.then(async () => {
      await new Promise(setImmediate);
      apply();
      this.#onWritten({ operations, sync, seconds: 0 });
    });
    this.#queue = written;
    return written;
  }
}
