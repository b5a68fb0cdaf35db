import { crc32 } from 'node:zlib';
import { badParameter } from './history-range.ts';

/**
 * Number of bytes for the time in a page token. The page token of a list of incidents stands for the incidents that
 * started before this time.
 */
const TIME_BYTES = 6;
/**
 * Length of a page token of incidents, in bytes. A token consists of a time, and a checksum of the time and the server.
 */
const TOKEN_BYTES = TIME_BYTES + 4;

/**
 * Returns the token of the next page of incidents of a server: the incidents that started before `before` (Unix ms).
 * The token stays valid when incidents are added, because these are newer.
 */
export function incidentToken(key: string, before: number): string {
  const token = Buffer.alloc(TOKEN_BYTES);
  token.writeUIntBE(before, 0, TIME_BYTES);
  token.writeUInt32BE(checksum(key, token), TIME_BYTES);
  return token.toString('base64url');
}

/**
 * Reads the page token of a list of incidents, and returns a time (Unix ms). The page contains only incidents that
 * started before this time. For an empty token (the first page), the time is infinity. Throws ServiceError QUERY_1 if
 * the token is not valid for this server.
 */
export function incidentsBefore(key: string, text: string): number {
  if (text === '') return Number.POSITIVE_INFINITY;
  const token = Buffer.from(text, 'base64url');
  const isWhole = token.length === TOKEN_BYTES && token.toString('base64url') === text;
  if (!isWhole || token.readUInt32BE(TIME_BYTES) !== checksum(key, token))
    throw badParameter('page_token', 'must be the next_page_token of the previous page of the same server');
  return token.readUIntBE(0, TIME_BYTES);
}

function checksum(key: string, token: Buffer): number {
  return crc32(key, crc32(token.subarray(0, TIME_BYTES)));
}
