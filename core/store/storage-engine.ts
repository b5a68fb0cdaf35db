import type { Counted } from './counted-prefixes.ts';
import type { NoWrites } from './no-writes.ts';
import type { SetDigest } from './set-digest.ts';
import type { StoreDamage } from './store-damage.ts';

/**
 * Stores an entry.
 *
 * For each key prefix in `COUNTED`, the engine keeps a digest: the number of entries with this prefix, and the sum of
 * their checksums. `adds` and `removes` update this digest, and are only for entries with such a prefix. `adds`:
 * checksum of the new entry (`checksumOf`), which the engine adds. `removes`: checksum of the replaced entry, which the
 * engine subtracts.
 */
export type Put = { type: 'put'; key: string; value: Buffer; adds?: number; removes?: number };

/**
 * Stores a new server, token or credential. For these kinds of entries (`COUNTED`), the engine keeps a digest of all
 * entries. Therefore the checksum of the new entry (`adds`) is required.
 */
export type CountedPut = Put & { adds: number };

/**
 * Deletes a stored entry.
 *
 * `removes`: checksum of the deleted entry, only for keys with a prefix in `COUNTED`. For each such prefix, the engine
 * keeps the number of entries and the sum of their checksums. The engine subtracts `removes` from this sum.
 */
export type Delete = { type: 'del'; key: string; removes?: number };

/** A write or a deletion of one entry in the storage engine. */
export type Operation = Put | Delete;

/** Measurements of one batch of operations that the storage engine wrote together. They are used for metrics. */
export interface WrittenGroup {
  operations: number;
  /** True if the engine made the operations durable before it confirmed them to callers. */
  sync: boolean;
  /** Duration of the write of the batch, in seconds. */
  seconds: number;
}

/** A key and its value, as read from the engine. The reader owns the value and can change it. */
export type StoredEntry = [key: string, value: Buffer];

/**
 * Durable storage of entries with a text key and a binary value. The core loads the entries when it starts. Later it
 * reads nearly all data from memory (core/store/memory). An engine belongs to one process, or each of several processes
 * owns some of its buckets (groups of entries). Writes to the bucket of a different owner are defects: `insertIfAbsent`
 * and `commit` reject, and `append` returns false.
 *
 * The prefix of a key gives the kind of entry: `s/` servers, `t/` tokens, `c/` credentials of servers, `q/` usage of
 * tokens, `u/` last use of tokens, `n/` servers that gsq no longer probes regularly, because they never answered, `k/`
 * the check value of the token key. The rest of an `s/`, `c/` or `n/` key is the `serverKey`.
 *
 * Callers must not assume that reads are synchronous, that writes of different servers keep their order, or that the
 * engine has files.
 */
export interface StorageEngine {
  /** The error with which the storage engine refuses writes; undefined while it accepts writes. */
  readonly refusal: NoWrites | undefined;
  /**
   * True if a write has failed since the last `recover`. In this case, the engine writes nothing until the next
   * `recover`.
   */
  readonly failed: boolean;
  /**
   * Number of writes that the engine refused because another process owns the data now. Undefined if only one process
   * can open the engine.
   */
  readonly fencedWrites?: number;

  /**
   * Visits every entry whose key starts with `prefix`. The entries of one server, token or webhook are visited in key
   * order; the order of all others depends on the engine. Loads many entries faster than `entries`, because it does not
   * create a Promise for each entry. If several processes use the engine, visits only the servers in buckets (groups of
   * servers) that this process owns. Rejects with the error that `visit` throws, or with StoreDamage.
   */
  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void>;
  /**
   * In some buckets (groups of servers or accounts), visits every entry whose key starts with `prefix`. Unlike
   * `readAll`, also visits buckets that this process does not own. An engine that other processes cannot open does not
   * have this method.
   */
  readBuckets?(
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
  ): Promise<void>;
  /**
   * Iterates over the entries whose key starts with `prefix`, in key order. The engine reads the entries page by page.
   * If `after` is given, the iteration starts after this key. Entries that are written or deleted during the iteration
   * can be included or missing. The caller can stop early.
   */
  entries(prefix: string, after?: string): AsyncIterableIterator<StoredEntry>;

  /**
   * Stores new entries durably. If the engine already holds a key, the stored value stays unchanged. The result maps
   * each such key to the value that is already stored. Rejects with NoWrites if the engine refuses the write or the
   * write fails. After a failed write, `recover` finds out whether the entries are stored.
   */
  insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Applies operations and resolves when they are durable. All operations of one server or one token take effect
   * together, or none of them does. Rejects with NoWrites if the engine refuses the write or the write fails. After a
   * failed write, `recover` finds out whether the operations were applied.
   */
  commit(operations: readonly Operation[]): Promise<void>;
  /**
   * Queues an operation, which is written soon in a batch. Operations of the same server or token keep their order.
   * Meant for data that survives a kill of this process but can be lost in a power cut, for example the status of a
   * server. Returns false if the engine accepts no writes or its queue is full. The operation is also lost if the later
   * write fails.
   */
  append(operation: Operation): boolean;

  /**
   * Checks that no entries are missing. Compares the digest of the loaded entries with the digest that the engine
   * recorded for the same key prefix. Throws StoreDamage if they differ. This method does nothing in an engine that
   * verifies its data in another way.
   */
  verify(prefix: Counted, loaded: SetDigest): void;
  /**
   * Creates the error to throw if loaded entries are damaged. `what`: description of the damage, a sentence without its
   * full stop.
   */
  damage(what: string): StoreDamage;
  /**
   * Call this method when the data of all key prefixes is loaded and verified. After this call, each write updates the
   * digests. Rejects with NoWrites if the engine cannot write.
   */
  finishLoading(): Promise<void>;

  /**
   * Waits until all queued writes are durable, even while writes are paused. Rejects if the writes fail. Only an engine
   * that several processes can use at the same time has this method.
   */
  drain?(): Promise<void>;
  /** Makes the engine refuse writes. `reason`: text for the error; undefined to accept writes again. */
  pause(reason: string | undefined): void;
  /**
   * Makes the storage engine usable again after a failed write. Calls `compare` to find the differences between the
   * engine and the data in memory, and applies the operations that `compare` returns. `compare` must also call
   * `resetDigest` for each key prefix in `COUNTED`. Rejects with StoreDamage if acknowledged writes are lost. Rejects
   * with a different error if the engine cannot work yet. In this case the caller can try again.
   */
  recover(compare: () => Promise<Operation[]>): Promise<void>;
  /**
   * Resolves to true if the files of the engine were deleted, moved or replaced while it is open. Writes are then lost
   * without an error. An engine without files resolves to false.
   */
  areFilesGone(): Promise<boolean>;
  /**
   * Sets the digest (checksum) of all entries whose key has this prefix. Call this method only during a recovery, after
   * the entries were compared with memory.
   */
  resetDigest(prefix: Counted, digest: SetDigest): void;

  /**
   * Calls `onWritten` after each batch of operations that the engine wrote together. Replaces the previous listener.
   */
  watchWrites(onWritten: (write: WrittenGroup) => void): void;
  /** Closes the storage engine: writes all queued operations and releases all resources. */
  close(): Promise<void>;
}
