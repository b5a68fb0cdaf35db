import { checkedContent } from '../store/checksummed.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { Operation, Put, StorageEngine } from '../store/storage-engine.ts';

/** A group of data that is kept in memory, and stored under one key prefix. */
export interface StoredData {
  readonly prefix: string;
  /**
   * Iterates over all entries that the storage engine must contain under the prefix. The engine must contain no other
   * entries with this prefix.
   */
  entries(): Iterable<Put>;
}

/** Checksums of the stored entries, keyed by store key. The value is undefined for a damaged entry. */
type Checksums = Map<string, number | undefined>;

/**
 * The storage engine as webhooks use it. Remembers if the engine refused an operation, so that `writeDirty` can write
 * the missing entries when the engine accepts writes again.
 */
export class WebhookStore {
  readonly #engine: StorageEngine;
  /**
   * True if the engine refused an operation since `writeDirty` last began to compare the stored entries with those in
   * memory.
   */
  #isDirty = false;

  constructor(engine: StorageEngine) {
    this.#engine = engine;
  }

  get refusal(): StorageEngine['refusal'] {
    return this.#engine.refusal;
  }

  readAll(...[prefix, visit]: Parameters<StorageEngine['readAll']>): Promise<void> {
    return this.#engine.readAll(prefix, visit);
  }

  /** Like `StorageEngine.commit`. */
  commit(operations: readonly Operation[]): Promise<void> {
    return this.#engine.commit(operations);
  }

  /** Like `StorageEngine.append`. If the engine refuses an operation, `writeDirty` writes the missing entries later. */
  append(operation: Operation): void {
    if (!this.#engine.append(operation)) this.#isDirty = true;
  }

  /** After a failed write, returns the operations that make the stored entries equal to those in memory. */
  async compare(data: readonly StoredData[]): Promise<Operation[]> {
    return differences(await this.#readChecksums(data), data);
  }

  /**
   * If the engine refused an operation, makes the stored entries equal to those in memory. Rejects with NoWrites if the
   * engine refuses again.
   */
  async writeDirty(data: readonly StoredData[]): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    try {
      // Waits until all accepted operations are written, because `#readChecksums` reads only written entries.
      await this.#engine.commit([]);
      const stored = await this.#readChecksums(data);
      // Compares the stored entries with those in memory (`differences`), and calls `commit` with no `await` between.
      // Otherwise `commit` could overwrite an operation that was made in between.
      await this.#engine.commit(differences(stored, data));
    } catch (error) {
      this.#isDirty = true;
      throw error;
    }
  }

  async #readChecksums(data: readonly StoredData[]): Promise<Checksums> {
    const stored: Checksums = new Map();
    for (const { prefix } of data)
      await this.#engine.readAll(prefix, (key, value) => void stored.set(key, checksumOfEntry(key, value)));
    return stored;
  }
}

function differences(stored: Checksums, data: readonly StoredData[]): Operation[] {
  const operations: Operation[] = [];
  for (const each of data) {
    for (const entry of each.entries()) {
      if (stored.get(entry.key) !== checksumOfEntry(entry.key, entry.value)) operations.push(entry);
      stored.delete(entry.key);
    }
  }
  for (const key of stored.keys()) operations.push({ type: 'del', key });
  return operations;
}

function checksumOfEntry(key: string, value: Buffer): number | undefined {
  const content = checkedContent(key, value);
  return content && checksumOf(key, content);
}
