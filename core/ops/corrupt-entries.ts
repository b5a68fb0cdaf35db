import type { Logger } from '../../runtime/log.ts';

/** Counts and logs stored entries that do not match their checksum and may be forgotten: token usage and given-up servers. */
export class CorruptEntries {
  readonly #log: Logger;
  /** Entries found so far. */
  count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts and logs one entry by its key. */
  readonly countEntry = (key: string): void => {
    this.count++;
    this.#log.error(
      { key },
      'a stored entry, the usage of a token or a server given up, does not match its checksum and is forgotten; check the disk, and run gsq doctor',
    );
  };
}
