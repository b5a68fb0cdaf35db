import type { Counted } from './counted-prefixes.ts';
import type { NoWrites } from './no-writes.ts';
import type { SetDigest } from './set-digest.ts';
import type { StoreDamage } from './store-damage.ts';

/**
 * Stores an entry. `adds` and `removes` are only for keys with a prefix in `COUNTED`, for which the engine keeps a sum
 * of checksums. `adds`: checksum of the new entry (`checksumOf`). `removes`: checksum of the replaced entry.
 */
export type Put = { type: 'put'; key: string; value: Buffer; adds?: number; removes?: number };

/**
 * Stores a new server, token or credential. For these kinds of entries (`COUNTED`), the engine keeps a digest of all
 * entries. Therefore the checksum of the new entry (`adds`) is required.
 */
export type CountedPut = Put & { adds: number };

/**
 * Deletes a stored entry. `removes`: checksum of the deleted entry, only for keys with a prefix in `COUNTED`. The
 * engine keeps a sum of checksums for each of these prefixes, and subtracts `removes` from it.
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
 * Durable storage of entries with a text key and a binary value. The core loads the entries at its start, and later
 * reads nearly all data from memory.
 *
 * An engine belongs to one process, or is shared by several processes. Each of these owns some of the buckets (groups
 * of entries). A write to a bucket of another process fails: `insertIfAbsent` and `commit` reject, and `append` returns
 * false.
 *
 * The prefix of a key gives the kind of entry:
 * - `s/` servers, `c/` their credentials, `n/` servers that never answered and are no longer probed regularly. The rest
 *   of the key is the `serverKey`.
 * - `t/` tokens, `q/` their usage, `u/` their last use, `k/` the check value of the token key.
 *
 * Reads need not be synchronous, writes of different servers need not keep their order, and an engine need not have
 * files.
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
   * Visits every entry whose key starts with `prefix`, faster than `entries`. Only the entries of one server, token or
   * webhook are visited in key order. Visits only servers in buckets (groups of servers) of this process. Rejects with
   * the error that `visit` throws, or with StoreDamage.
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
   * Iterates over the entries whose key starts with `prefix`, in key order. If `after` is given, starts after this key.
   * Entries that are written or deleted during the iteration can be included or missing. The caller can stop early.
   */
  entries(prefix: string, after?: string): AsyncIterableIterator<StoredEntry>;

  /**
   * Stores new entries durably. Existing keys keep their stored values. Returns a map with the existing keys and their
   * values. Rejects with NoWrites if the write fails or the engine refuses it. After a failed write, `recover` finds
   * out whether the entries are stored.
   */
  insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Applies operations and resolves when they are durable. The operations of one server or token take effect together
   * or not at all. Rejects with NoWrites if the engine refuses the write or the write fails. `recover` then finds out
   * whether they were applied.
   */
  commit(operations: readonly Operation[]): Promise<void>;
  /**
   * Queues an operation, which is written soon in a batch. It survives a kill of this process, but can be lost in a
   * power cut or if the write fails. Operations of the same server or token keep their order. Returns false if the
   * engine accepts no writes or its queue is full.
   */
  append(operation: Operation): boolean;

  /**
   * Checks that no entries are missing. Throws StoreDamage if the digest of the loaded entries differs from the digest
   * that the engine recorded. Does nothing in an engine that verifies its data in another way.
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
   * Makes the storage engine usable again after a failed write. `compare` returns the operations that make the stored
   * entries equal to those in memory, and calls `resetDigest` for each prefix in `COUNTED`. Rejects with StoreDamage if
   * acknowledged writes are lost. After another error than StoreDamage, the caller can try again.
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
