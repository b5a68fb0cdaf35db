import type { Counted } from './counted-prefixes.ts';
import type { NoWrites } from './no-writes.ts';
import type { SetDigest } from './set-digest.ts';
import type { StoreDamage } from './store-damage.ts';

/**
 * An operation that stores an entry. Some engines keep a sum of the checksums of all entries whose key has a prefix in
 * `COUNTED`. For such an entry, `adds` is the checksum of the new entry (`checksumOf`), and `removes` is the checksum
 * of the replaced entry.
 */
export type Put = { type: 'put'; key: string; value: Buffer; adds?: number; removes?: number };

/**
 * An operation that stores a new server, token or credential (key prefixes in `COUNTED`). The checksum of the new entry
 * (`adds`) is required, because the engine keeps a digest (sum of checksums) of these entries.
 */
export type CountedPut = Put & { adds: number };

/**
 * Deletes a stored entry. `removes`: checksum of the deleted entry, only for keys with a prefix in `COUNTED`. The
 * engine subtracts it from its sum of checksums.
 */
export type Delete = { type: 'del'; key: string; removes?: number };

/** A write or a deletion of one entry in the storage engine. */
export type Operation = Put | Delete;

/** Measurements of one batch (operations that the storage engine wrote together), for metrics. */
export interface WrittenGroup {
  operations: number;
  /**
   * True if a caller waited for the batch, for example in `commit`. The engine then made the batch durable before it
   * told the caller that the write has succeeded.
   */
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
 * Several processes can share an engine. Each process then owns some of the buckets (groups of entries), and cannot
 * write to other buckets: `insertIfAbsent` and `commit` reject, and `append` returns false.
 *
 * The prefix of a key gives the kind of entry, for example:
 * - `s/` servers, `c/` their credentials, `n/` servers that never answered and are no longer probed regularly. The rest
 *   of the key is the `serverKey`.
 * - `t/` tokens, `q/` their usage, `u/` their last use, `k/` the check value of the token key.
 *
 * Reads can be asynchronous. Writes keep their order only if they belong to the same server or token. An engine does
 * not need to use files.
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
   * Calls `visit` for every entry whose key starts with `prefix`. If several processes share the engine, skips the
   * servers in buckets (groups of servers) that this process does not own. This method is faster than `entries`, but it
   * keeps the key order only among the entries of one server, token or webhook. Rejects with StoreDamage, or with the
   * error that `visit` throws.
   */
  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void>;
  /**
   * Calls `visit` for every entry whose key starts with `prefix` and that is in one of the given buckets. This process
   * need not own the buckets. Only an engine for several processes has this method.
   */
  readBuckets?(
    buckets: readonly number[],
    prefix: string,
    visit: (key: string, value: Buffer) => void,
  ): Promise<void>;
  /**
   * Yields the entries whose key starts with `prefix`, in key order. If `after` is given, starts after this key. A
   * change that is made during the iteration may or may not appear in the result.
   */
  entries(prefix: string, after?: string): AsyncIterableIterator<StoredEntry>;

  /**
   * Stores new entries durably, but does not replace existing values. Returns the existing keys and their values.
   * Rejects with NoWrites if the engine refuses the write or the write fails. After a failure, `recover` finds out what
   * is stored.
   */
  insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Applies operations and resolves when they are durable. The operations of one server or token take effect together
   * or not at all. Rejects with NoWrites if the engine refuses the write or the write fails. After a failure, `recover`
   * finds out what is stored.
   */
  commit(operations: readonly Operation[]): Promise<void>;
  /**
   * Queues an operation. The engine writes it up to 250 ms later. A written operation survives a kill of this
   * process, but not always a power cut. Operations of the same server or token keep their order. Returns false if the
   * engine accepts no writes or its queue is full.
   */
  append(operation: Operation): boolean;

  /**
   * Throws StoreDamage if the digest of the loaded entries differs from the recorded digest. Does nothing if the engine
   * records no digests.
   */
  verify(prefix: Counted, loaded: SetDigest): void;
  /**
   * Creates the error to throw if loaded entries are damaged. `what`: description of the damage, a sentence without its
   * full stop.
   */
  damage(what: string): StoreDamage;
  /**
   * Ends the loading of the data. Call this method when all data is loaded and verified. If the engine keeps digests
   * (checksums of its entries), each later write updates them. Rejects with NoWrites if the engine cannot write.
   */
  finishLoading(): Promise<void>;

  /**
   * Waits until all queued writes are durable. Also works while `pause` makes the engine refuse new writes. Rejects if
   * the queued writes fail. Only an engine for several processes has this method.
   */
  drain?(): Promise<void>;
  /** Makes the engine refuse writes. `reason`: text for the error; undefined to accept writes again. */
  pause(reason: string | undefined): void;
  /**
   * Makes the storage engine usable again after a failed write. `compare`: function that returns the operations that
   * make the stored entries equal to those in memory. Rejects with StoreDamage if the store has lost writes that it had
   * confirmed. If `recover` rejects with another error, it can be called again.
   */
  recover(compare: () => Promise<Operation[]>): Promise<void>;
  /**
   * Resolves to true if the files of the open engine were deleted, moved or replaced. In this case, all further writes
   * are lost, although they report no error. An engine without files always resolves to false.
   */
  areFilesGone(): Promise<boolean>;
  /**
   * Sets the digest (checksum) of all entries whose key starts with `prefix`. This is a part of the recovery after a
   * failed write: the function `compare` of `recover` must call this method for each prefix in `COUNTED`.
   */
  resetDigest(prefix: Counted, digest: SetDigest): void;

  /**
   * Calls `onWritten` after each batch of operations that the engine wrote together. Replaces the previous listener.
   */
  watchWrites(onWritten: (write: WrittenGroup) => void): void;
  /** Closes the storage engine: writes all queued operations and releases all resources. */
  close(): Promise<void>;
}
