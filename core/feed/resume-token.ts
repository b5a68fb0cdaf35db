import type { ChangeFeed } from './change-feed.ts';

const TOKEN = /^([0-9a-f]{12})\.([0-9a-z]{1,10})$/;

/**
 * Returns the resume token for the change with this sequence number. With this token, a reader continues the change
 * feed after the change.
 */
export function resumeToken(feed: ChangeFeed, sequence: number): string {
  return `${feed.id}.${sequence.toString(36)}`;
}

/**
 * Returns the sequence number that a resume token contains. It belongs to the last change that the reader has received.
 * The reader continues the change feed after this change. Returns undefined if the token is malformed or comes from
 * another feed, or if the feed no longer has all later changes.
 */
export function resumedSequence(feed: ChangeFeed, token: string): number | undefined {
  const [, id, digits = ''] = TOKEN.exec(token) ?? [];
  const sequence = Number.parseInt(digits, 36);
  return id === feed.id && feed.isGapless && feed.recent.hasAllAfter(sequence) ? sequence : undefined;
}
