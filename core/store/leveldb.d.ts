// Only what core/store/level.ts uses; @types/leveldown does not check under nodenext.

declare module 'leveldown' {
  export interface LevelDown {
    readonly location: string;
  }
  function leveldown(location: string): LevelDown;
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
  export interface LevelUp {
    batch(operations: readonly Operation[], options: { sync: boolean }, callback: Callback): void;
    iterator(options: { gte: string; lt: string }): LevelIterator;
    close(callback: Callback): void;
  }
  function levelup(
    db: LevelDown,
    options: Record<string, never>,
    callback: (error: Error | null | undefined, db: LevelUp) => void,
  ): LevelUp;
  export default levelup;
}
