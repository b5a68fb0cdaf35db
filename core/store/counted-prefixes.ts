/**
 * Key prefixes of servers, tokens and server credentials. The store records the number and the checksum of the entries
 * of each prefix, to detect missing entries at the next start.
 */
export const COUNTED = ['s/', 't/', 'c/'] as const;

/**
 * A key prefix in `COUNTED`. The store records the number of entries with this prefix and the sum of their checksums.
 */
export type Counted = (typeof COUNTED)[number];

/** What the entries of each key prefix are called in error messages. */
export const COUNTED_NOUNS: Readonly<Record<Counted, string>> = {
  's/': 'servers',
  't/': 'tokens',
  'c/': 'credentials of servers',
};
