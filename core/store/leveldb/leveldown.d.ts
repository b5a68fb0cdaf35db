// Only what core/store/leveldb/leveldb.ts uses; @types/leveldown does not check under nodenext.

declare module 'leveldown' {
  export interface LevelDown {
    readonly location: string;
  }
  interface Leveldown {
    (location: string): LevelDown;
    /** Rebuilds the manifest from the tables and logs. */
    repair(location: string, callback: (error?: Error | null) => void): void;
  }
  const leveldown: Leveldown;
  export default leveldown;
}

declare module 'levelup' {
  import type { LevelDown } from 'leveldown';

  export type Operation = { type: 'put'; key: string; value: Buffer } | { type: 'del'; key: string };
  type Callback = (error?: Error | null) => void;

  export interface LevelIterator {
    next(callback: (error: Error | undefined, key?: Buffer, value?: Buffer) => void): void;
    end(callback: Callback): void;
  }
  export interface IteratorOptions {
    gte: string;
    lt: string;
    /** Bytes that are read ahead at once, in at most 1000 entries. */
    highWaterMark?: number;
  }
  /** Passed on to LevelDB. */
  export interface OpenOptions {
    /** Size of a table file in bytes, at least 1 MiB. */
    maxFileSize: number;
    /** At least 74; all but 10 of them may stay mapped into memory. */
    maxOpenFiles: number;
    /** Fails if there is a database, after taking its lock. */
    errorIfExists?: boolean;
  }
  export interface LevelUp {
    batch(operations: readonly Operation[], options: { sync: boolean }, callback: Callback): void;
    iterator(options: IteratorOptions): LevelIterator;
    close(callback: Callback): void;
  }
  function levelup(
    db: LevelDown,
    options: OpenOptions,
    callback: (error: Error | null | undefined, db: LevelUp) => void,
  ): LevelUp;
  export default levelup;
}
