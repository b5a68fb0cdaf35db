import { hash } from 'node:crypto';

/**
 * Returns a weak entity tag of a body (RFC 9110, 8.8.3). It is weak because the same tag is sent with the uncompressed
 * and the compressed body.
 */
export function weakTagOf(body: Buffer): string {
  return `W/"${hash('sha1', body, 'base64url')}"`;
}

/**
 * Returns true if the If-None-Match header of a request contains the entity tag, by weak comparison (RFC 9110, 13.1.2).
 */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.replace(/^W\//, '');
  return ifNoneMatch.match(/"[^"]*"/g)?.some(named => named === opaque) ?? false;
}
