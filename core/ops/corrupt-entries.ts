import type { Logger } from '../../runtime/log.ts';

/**
 * Counts and logs the store entries that the core drops because their checksum is wrong. The core drops only three
 * kinds of entries: webhooks, the usage of tokens, and servers that gsq has given up because they never answered.
 */
export class CorruptEntries {
  readonly #log: Logger;
  /** Number of corrupt store entries found so far. */
  count = 0;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts and logs one corrupt entry. `key`: storage key of the entry. */
  readonly countEntry = (key: string): void => {
    this.count++;
    this.#log.error(
      { key },
      'a stored entry (usage of a token, a given-up server, or a webhook) does not match its checksum and is dropped; check the disk, and run gsq doctor',
    );
  };
}
