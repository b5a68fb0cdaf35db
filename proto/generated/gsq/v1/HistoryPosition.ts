// Original file: gsq/v1/cluster.proto


/**
 * A place in a LevelDB directory of the history (core/store/history/history-entries.ts).
 */
export interface HistoryPosition {
  /**
   * Path of the directory, for example `minutes/2026-11-24T06`.
   */
  'path'?: (string);
  /**
   * Empty at the beginning.
   */
  'after'?: (Buffer | Uint8Array | string);
}

/**
 * A place in a LevelDB directory of the history (core/store/history/history-entries.ts).
 */
export interface HistoryPosition__Output {
  /**
   * Path of the directory, for example `minutes/2026-11-24T06`.
   */
  'path': (string);
  /**
   * Empty at the beginning.
   */
  'after': (Buffer);
}
