import type { ChangeFeed } from './change-feed.ts';

const TOKEN = /^([0-9a-f]{12})\.([0-9a-z]{1,10})$/;

/** Returns the resume token of a position in a feed: after the change with this number. */
export function resumeToken(feed: ChangeFeed, sequence: number): string {
  return `${feed.id}.${sequence.toString(36)}`;
}

/**
 * Returns the number of the change after which a reader with this resume token goes on. Returns undefined if the token
 * is not valid, an earlier run of the core made it, or the feed no longer knows all changes since.
 */
export function resumedSequence(feed: ChangeFeed, token: string): number | undefined {
  const [, id, digits = ''] = TOKEN.exec(token) ?? [];
  const sequence = Number.parseInt(digits, 36);
  return id === feed.id && feed.recent.hasAllAfter(sequence) ? sequence : undefined;
}
