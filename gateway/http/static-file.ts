import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { matchesTag } from './entity-tag.ts';
import { type Exchange, headerOf, type Reply } from './exchange.ts';

/** A file that the gateway serves from memory. */
export interface StaticFile {
  readonly body: Buffer;
  readonly gzipped: Buffer;
  /** MIME type of the file, for the header Content-Type. */
  readonly type: string;
  /** Hash of the content of the file, 12 hexadecimal digits. */
  readonly version: string;
}

/**
 * Returns a file to serve, with the content `body`. `gzipped`: the content compressed with gzip; by default, this
 * function compresses it.
 */
export function staticFile(body: Buffer, type: string, gzipped = gzipSync(body, { level: 9 })): StaticFile {
  return { body, gzipped, type, version: hash('sha256', body, 'hex').slice(0, 12) };
}

/** Returns the reply with a file, or 304 if the caller has the same version. `cacheControl`: value of Cache-Control. */
export function fileReply({ request }: Exchange, file: StaticFile, cacheControl: string): Reply {
  const tag = `"${file.version}"`;
  const headers = {
    'Content-Type': file.type,
    'Cache-Control': cacheControl,
    'X-Content-Type-Options': 'nosniff',
    ETag: tag,
  };
  if (matchesTag(headerOf(request, 'if-none-match'), tag)) return { status: 304, headers };
  return { status: 200, headers, body: file.body, gzipped: () => file.gzipped };
}
