import { checkedContent } from '../store/checksummed.ts';
import { checksumOf } from '../store/set-digest.ts';
import type { Operation, Put, StorageEngine } from '../store/storage-engine.ts';

/**
 * One kind of webhook data, for example the queued deliveries. The data is kept in memory, and stored under one key
 * prefix.
 */
export interface StoredData {
  readonly prefix: string;
  /**
   * Iterates over all entries of one kind of webhook data in memory, for example all queued deliveries. The storage
   * engine must contain exactly these entries under the key prefix `prefix`.
   */
  entries(): Iterable<Put>;
}

/** Checksums of the stored entries, keyed by store key. The value is undefined for a damaged entry. */
type Checksums = Map<string, number | undefined>;

/**
 * Keeps the data of webhooks in the storage engine. If the engine refuses an operation, `writeDirty` writes the refused
 * entries when the engine accepts writes again.
 */
export class WebhookStore {
  readonly #engine: StorageEngine;
  /**
   * True after the engine has refused an operation, until `writeDirty` has compared the stored entries with those in
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

  /** Writes operations to the storage engine, and waits until they are durable, like `StorageEngine.commit`. */
  commit(operations: readonly Operation[]): Promise<void> {
    return this.#engine.commit(operations);
  }

  /**
   * Queues an operation for the storage engine, like `StorageEngine.append`. If the engine refuses the operation,
   * `writeDirty` writes the missing entries later.
   */
  append(operation: Operation): void {
    if (!this.#engine.append(operation)) this.#isDirty = true;
  }

  /**
   * Returns the operations that make the stored webhook data equal to the data in memory. These operations are needed
   * after a failed write.
   */
  async compare(data: readonly StoredData[]): Promise<Operation[]> {
    return differences(await this.#readChecksums(data), data);
  }

  /**
   * If the storage engine has refused an operation before, makes the stored webhook data equal to the data in memory.
   * Rejects with NoWrites if the engine refuses again.
   */
  async writeDirty(data: readonly StoredData[]): Promise<void> {
    if (!this.#isDirty) return;
    this.#isDirty = false;
    try {
      // Waits until the engine has written all operations that it has accepted, because `#readChecksums` reads only
      // written entries.
      await this.#engine.commit([]);
      const stored = await this.#readChecksums(data);
      // There must be no `await` between `differences` and `commit`. With an `await`, another call could queue a newer
      // value in between, and `commit` would overwrite it with an older value.
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
