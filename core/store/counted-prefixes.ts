/**
 * Key prefixes of servers, tokens and credentials of servers. For each prefix, the store records the number of entries
 * and the sum of their checksums. The next start detects missing entries by these two numbers.
 */
export const COUNTED = ['s/', 't/', 'c/'] as const;

/**
 * A key prefix in `COUNTED`. The store records the number of entries with this prefix and the sum of their checksums.
 */
export type Counted = (typeof COUNTED)[number];

/** For each key prefix of the store: the name of its entries in error messages. */
export const COUNTED_NOUNS: Readonly<Record<Counted, string>> = {
  's/': 'servers',
  't/': 'tokens',
  'c/': 'credentials of servers',
};
