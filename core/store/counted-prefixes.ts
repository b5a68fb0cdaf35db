/** Prefixes of the keys whose entries are counted and summed (`SetDigest`): servers, tokens, credentials of servers. */
export const COUNTED = ['s/', 't/', 'c/'] as const;

/** One of `COUNTED`. */
export type Counted = (typeof COUNTED)[number];

/** What the entries of each counted prefix are, in messages. */
export const COUNTED_NOUNS: Readonly<Record<Counted, string>> = {
  's/': 'servers',
  't/': 'tokens',
  'c/': 'credentials of servers',
};
