/**
 * Key prefixes of servers, tokens and credentials of servers. For each prefix, the store records the number of entries
 * and the sum of their checksums. The next start detects missing entries by these two numbers.
 */
export const COUNTED = ['s/', 't/', 'c/'] as const;

/**
 * One of the key prefixes in `COUNTED`, for which the store records the number of entries and the sum of their
 * checksums.
 */
export type Counted = (typeof COUNTED)[number];

/** Nouns for error messages, keyed by key prefix of the store: what the entries with this prefix contain. */
export const COUNTED_NOUNS: Readonly<Record<Counted, string>> = {
  's/': 'servers',
  't/': 'tokens',
  'c/': 'credentials of servers',
};
