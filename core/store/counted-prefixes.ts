/**
 * Key prefixes of servers, tokens and credentials of servers. The store counts the entries of each prefix and sums
 * their checksums (`SetDigest`), to detect missing entries at the next start.
 */
export const COUNTED = ['s/', 't/', 'c/'] as const;

/** One of the key prefixes in `COUNTED`. */
export type Counted = (typeof COUNTED)[number];

/** Noun for the entries of each counted prefix, for error messages. */
export const COUNTED_NOUNS: Readonly<Record<Counted, string>> = {
  's/': 'servers',
  't/': 'tokens',
  'c/': 'credentials of servers',
};
