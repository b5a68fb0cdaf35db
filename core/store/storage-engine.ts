import type { Counted } from './counted-prefixes.ts';
import type { NoWrites } from './no-writes.ts';
import type { SetDigest } from './set-digest.ts';
import type { StoreDamage } from './store-damage.ts';

/**
 * Stores an entry. Of counted prefixes (`COUNTED`): `adds` is the checksum of the entry (`checksumOf`), which the digest of
 * the prefix gains, and `removes` that of the value it replaces, which the digest loses.
 */
export type Put = { type: 'put'; key: string; value: Buffer; adds?: number; removes?: number };

/** Stores an entry of a counted prefix that is new. */
export type CountedPut = Put & { adds: number };

/** Deletes an entry; `removes`: its checksum, which the digest of the prefix loses. */
export type Delete = { type: 'del'; key: string; removes?: number };

/** A write of one entry. */
export type Operation = Put | Delete;

/** A group of operations that was written together, for metrics. */
export interface WrittenGroup {
  operations: number;
  /** Whether it was made durable before it was acknowledged. */
  sync: boolean;
  /** Time the write took. */
  seconds: number;
}

/** An entry as it is read. The value belongs to the reader. */
export type StoredEntry = [key: string, value: Buffer];

/**
 * The durable half of the store: entries of a text key and a value of bytes. Everything that a request needs is in memory
 * (core/store/memory); an engine is asked only at the start, for writes, and for pages of long lists. One process owns the
 * entries that an engine gives it. What no caller may assume: that a read is synchronous, that writes of different
 * servers have one order, or that there are files.
 *
 * The first letters of a key say whose it is: `s/` servers, `t/` tokens, `c/` credentials of servers, `q/` usage of
 * tokens, `u/` their last use, `n/` servers given up. The rest of an `s/`, `c/` or `n/` key is the `serverKey`.
 */
export interface StorageEngine {
  /** Why writes are refused; undefined while they are accepted. */
  readonly refusal: NoWrites | undefined;
  /** Whether a write has failed since the last `recover`. Until then the engine writes nothing. */
  readonly failed: boolean;

  /**
   * Visits every entry whose key starts with `prefix`, in order of keys: for loading a range of many, without a promise
   * for each. Rejects with what `visit` throws, or with StoreDamage.
   */
  readAll(prefix: string, visit: (key: string, value: Buffer) => void): Promise<void>;
  /**
   * Entries whose key starts with `prefix`, in order of keys, page by page as the reader comes to them; with `after`, those
   * behind that key. An entry that is written or deleted meanwhile may be seen or not. A reader may leave early.
   */
  entries(prefix: string, after?: string): AsyncIterableIterator<StoredEntry>;

  /**
   * Stores entries whose keys this process does not hold. Resolves when they are durable, to the values that another writer
   * had stored under some of the keys before: these entries are not stored. Rejects with NoWrites; whether the entries are
   * stored then shows in `recover`.
   */
  insertIfAbsent(entries: readonly CountedPut[]): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Applies operations and resolves when they are durable: those of one server, or of one token, all or none. Rejects with
   * NoWrites; whether they were applied then shows in `recover`.
   */
  commit(operations: readonly Operation[]): Promise<void>;
  /**
   * Applies an operation soon, after those before it of the same server or token, and in a batch with others: for what a
   * kill of this process should not lose but a power cut may, as the status of a server. False if it is refused: the
   * engine takes no writes, or is too far behind. It is lost too if the write fails later.
   */
  append(operation: Operation): boolean;

  /**
   * Compares the digest of the loaded entries of a prefix with what was written. Throws StoreDamage. An engine whose data
   * is checked elsewhere accepts any digest.
   */
  verify(prefix: Counted, loaded: SetDigest): void;
  /** What to throw if entries are not what was written. `what`: a sentence without its full stop. */
  damage(what: string): StoreDamage;
  /** Ends the loading: everything is verified. From then on digests follow what is written. Rejects with NoWrites. */
  finishLoading(): Promise<void>;

  /** Refuses writes with this reason; undefined: accepts them again. */
  pause(reason: string | undefined): void;
  /**
   * After a failed write: makes the engine usable again. `compare` reads what is stored, calls `resetDigest`, and returns
   * what to write so that it equals what was acknowledged. Rejects with StoreDamage if acknowledged writes are gone, or
   * with what keeps the engine from working; then it may be called again.
   */
  recover(compare: () => Promise<Operation[]>): Promise<void>;
  /** Replaces the digest of a prefix: called while recovering. */
  resetDigest(prefix: Counted, digest: SetDigest): void;

  /** Calls `onWritten` with each group of operations that was written. One listener. */
  watchWrites(onWritten: (write: WrittenGroup) => void): void;
  /** Writes what is queued and lets go of everything. */
  close(): Promise<void>;
}
