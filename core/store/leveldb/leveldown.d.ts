// Declares only the parts of levelup and leveldown that core/store/leveldb/leveldb.ts uses. The types in
// @types/leveldown fail type checking under TypeScript's `nodenext` module resolution.

declare module 'leveldown' {
  export interface LevelDown {
    readonly location: string;
  }
  interface Leveldown {
    (location: string): LevelDown;
    /** Rebuilds the manifest (list of current files) of a LevelDB directory from its tables and logs. */
    repair(location: string, callback: (error?: Error | null) => void): void;
  }
  const leveldown: Leveldown;
  export default leveldown;
}

declare module 'levelup' {
  import type { LevelDown } from 'leveldown';

  export type Key = string | Buffer;
  export type Operation = { type: 'put'; key: Key; value: Buffer } | { type: 'del'; key: Key };
  type Callback = (error?: Error | null) => void;

  export interface LevelIterator {
    next(callback: (error: Error | undefined, key?: Buffer, value?: Buffer) => void): void;
    end(callback: Callback): void;
  }
  export interface IteratorOptions {
    gte: Key;
    lt: Key;
    /** Maximum number of entries to return. All entries are returned if the option is absent. */
    limit?: number;
    /** Number of bytes that an iterator may read from LevelDB in advance. A second limit is fixed: 1000 entries. */
    highWaterMark?: number;
  }
  /** Options that levelup passes to LevelDB. */
  export interface OpenOptions {
    /** Maximum size of a table file (data file of LevelDB) in bytes. LevelDB uses at least 1 MiB. */
    maxFileSize: number;
    /**
     * Maximum number of files that LevelDB keeps open, at least 74: ten files that are not tables, and the rest for
     * table files. Open table files stay mapped into memory.
     */
    maxOpenFiles: number;
    /** Size of LevelDB's cache of uncompressed blocks in bytes. The default is 8 MiB. */
    cacheSize?: number;
    /**
     * If true, LevelDB refuses to open a database that already exists. If another process has this database open,
     * LevelDB reports a different error, about the lock.
     */
    errorIfExists?: boolean;
  }
  export interface LevelUp {
    /**
     * Reads several keys at once, and returns their values in the same order. If a key is not stored, its value is
     * undefined.
     */
    getMany(
      keys: readonly Key[],
      callback: (error: Error | null | undefined, values: (Buffer | undefined)[]) => void,
    ): void;
    batch(operations: readonly Operation[], options: { sync: boolean }, callback: Callback): void;
    iterator(options: IteratorOptions): LevelIterator;
    /** Compacts the entries between two keys. levelup passes the call on to leveldown (the binding of LevelDB). */
    compactRange(from: Key, to: Key, callback: Callback): void;
    close(callback: Callback): void;
  }
  function levelup(
    db: LevelDown,
    options: OpenOptions,
    callback: (error: Error | null | undefined, db: LevelUp) => void,
  ): LevelUp;
  export default levelup;
}
