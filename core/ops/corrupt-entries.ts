import type { Logger } from '../../runtime/log.ts';

/**
 * Counts and logs stored entries that do not match their checksum. It handles only entries that gsq can lose without
 * harm: the usage of tokens, and servers that gsq gave up.
 */
export class CorruptEntries {
  readonly #log: Logger;
  /** Number of corrupt entries found so far. */
  count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts and logs one corrupt entry. `key`: storage key of the entry. */
  readonly countEntry = (key: string): void => {
    this.count++;
    this.#log.error(
      { key },
      'a stored entry, the usage of a token or a server given up, does not match its checksum and is forgotten; check the disk, and run gsq doctor',
    );
  };
}
