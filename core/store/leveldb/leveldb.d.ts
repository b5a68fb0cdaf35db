// Only what core/store/leveldb/leveldb-store.ts uses; @types/leveldown does not check under nodenext.

declare module 'leveldown' {
  export interface LevelDown {
    readonly location: string;
  }
  interface Leveldown {
    (location: string): LevelDown;
    /** Makes a manifest anew of what tables and logs hold. */
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
    /** Bytes read ahead at once, in at most 1000 entries. */
    highWaterMark?: number;
  }
  /** Handed through to LevelDB. */
  export interface OpenOptions {
    /** Bytes of one table file, 1 MiB at least. */
    maxFileSize: number;
    /** 74 at least: up to 10 less stay mapped. */
    maxOpenFiles: number;
    /** Fails where there is a database, once it has the lock. */
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
