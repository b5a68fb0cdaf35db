import type { Counted } from './counted-prefixes.ts';
import type { NoWrites } from './no-writes.ts';
import type { SetDigest } from './set-digest.ts';
import type { StoreDamage } from './store-damage.ts';

/**
 * Stores an entry. `adds` and `removes` are only for counted prefixes (`COUNTED`). `adds` is the checksum of the new
 * entry (`checksumOf`), which is added to the digest of the prefix. `removes` is the checksum of the replaced entry,
 * which is subtracted from the digest.
 */
export type Put = { type: 'put'; key: string; value: Buffer; adds?: number; removes?: number };

/** Stores a new entry whose key prefix is in `COUNTED`. */
export type CountedPut = Put & { adds: number };

/** Deletes an entry. `removes` is the checksum of the entry, which is subtracted from the digest of its prefix. */
export type Delete = { type: 'del'; key: string; removes?: number };

/** A write or a deletion of one entry. */
export type Operation = Put | Delete;

/** Measurements of a group of operations that was written together, for metrics. */
export interface WrittenGroup {
  operations: number;
  /** True if the group was made durable before it was acknowledged. */
  sync: boolean;
  /** Duration of the write. */
  seconds: number;
}

/** A key and its value, as read from the engine. The reader owns the value and can change it. */
export type StoredEntry = [key: string, value: Buffer];

/**
 * The durable half of the store: entries with a text key and a binary value. All data that requests need is in memory
 * (core/store/memory). The core uses an engine only at the start, for writes, and for pages of long lists. One process
 * owns the entries in its engine. Callers must not assume that reads are synchronous, that writes of different servers
 * keep their order, or that the engine has files.
 *
 * The prefix of a key gives the kind of entry: `s/` servers, `t/` tokens, `c/` credentials of servers, `q/` usage of
 * tokens, `u/` last use of tokens, `n/` servers that gsq gave up. The rest of an `s/`, `c/` or `n/` key is the
 * `serverKey`.
 */
export interface StorageEngine {
  /** The error with which writes are refused; undefined while writes are accepted. */
  readonly refusal: NoWrites | undefined;
  /** True if a write has failed since the last `recover`. The engine writes nothing until the next `recover`. */
  readonly failed: boolean;

  /**
   * Visits every entry whose key starts with `prefix`, in key order. Loads many entries faster than `entries`, because
   * it does not create a Promise for each entry. Rejects with the error that `visit` throws, or with StoreDamage.
   */
  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void>;
  /**
   * Entries whose key starts with `prefix`, in key order. The engine reads them page by page as the caller iterates. If
   * `after` is given, the iteration starts after that key. Entries written or deleted during the iteration can be
   * included or missing. The caller can stop early.
   */
  entries(prefix: string, after?: string): AsyncIterableIterator<StoredEntry>;

  /**
   * Stores entries that are new to this process. Resolves when the entries are durable. If another writer had
   * already stored a key, the entry is not stored, and the result contains the key with the value of that writer.
   * Rejects with NoWrites if the engine refuses the write or the write fails. After a failed write, `recover` finds out
   * whether the entries are stored.
   */
  insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Applies operations and resolves when they are durable. The operations of one server or one token are applied all
   * together or not at all. Rejects with NoWrites if the engine refuses the write or the write fails. After a failed
   * write, `recover` finds out whether the operations were applied.
   */
  commit(operations: readonly Operation[]): Promise<void>;
  /**
   * Queues an operation and writes it soon, in a batch with others. Operations of the same server or token keep their
   * order. Meant for data that must survive a kill of this process but not a power cut, for example the status of a
   * server. Returns false if the engine takes no writes or its queue is full. A write that fails later also loses the
   * operation.
   */
  append(operation: Operation): boolean;

  /**
   * Compares the digest of the loaded entries of a prefix with the recorded digest. Throws StoreDamage if they differ.
   * An engine accepts any digest if something else already verifies its data.
   */
  verify(prefix: Counted, loaded: SetDigest): void;
  /**
   * Returns the error to throw if the loaded entries are damaged. `what`: description of the damage, a sentence without
   * its full stop.
   */
  damage(what: string): StoreDamage;
  /**
   * Ends the loading, after all prefixes are verified. From then on each write updates the digests. Rejects with
   * NoWrites if the engine cannot write.
   */
  finishLoading(): Promise<void>;

  /** Makes the engine refuse writes. `reason`: text for the error; undefined to accept writes again. */
  pause(reason: string | undefined): void;
  /**
   * Makes the engine usable again after a failed write. `compare` reads the stored entries, calls `resetDigest`, and
   * returns the operations that make the engine hold exactly the acknowledged entries. Rejects with StoreDamage if
   * acknowledged writes are lost. Rejects with a different error if the engine cannot work yet. In this case the caller
   * can try again.
   */
  recover(compare: () => Promise<Operation[]>): Promise<void>;
  /** Replaces the digest of a prefix. Only called during a recovery. */
  resetDigest(prefix: Counted, digest: SetDigest): void;

  /**
   * Calls `onWritten` after each group of operations that was written. A new listener replaces the previous listener.
   */
  watchWrites(onWritten: (write: WrittenGroup) => void): void;
  /** Writes all queued operations and releases all resources. */
  close(): Promise<void>;
}
