import { hash } from 'node:crypto';

/** A weak entity tag of a body (RFC 9110, 8.8.3): weak, because one tag stands for its compressed form too. */
export function weakTagOf(body: Buffer): string {
  return `W/"${hash('sha1', body, 'base64url')}"`;
}

/** Whether If-None-Match names the tag, by weak comparison (RFC 9110, 13.1.2). */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.replace(/^W\//, '');
  return ifNoneMatch.match(/"[^"]*"/g)?.some(named => named === opaque) ?? false;
}
