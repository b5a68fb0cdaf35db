import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { acceptsGzip } from './accept-encoding.ts';
import type { Exchange, Reply } from './exchange.ts';

const gzipAsync = promisify(gzip);
const LEVEL = 1;
// Up to here compressing takes less time than handing the work to another thread.
const SYNC_BYTES = 32 * 1024;
// How much of a request nobody wants is still read, so that its sender gets to see the answer.
const LINGER_BYTES = 8 * 1024 * 1024;

/** Sends a reply: JSON, compressed unless refused, with its length. */
export async function send(exchange: Exchange, response: ServerResponse, reply: Reply): Promise<void> {
  const headers: Record<string, string | number> = { ...exchange.headers, ...reply.headers };
  const { body } = reply;
  if (body === undefined) {
    response.writeHead(reply.status, headers).end();
    return;
  }
  let bytes = body;
  if (acceptsGzip(exchange.request.headers['accept-encoding'])) {
    bytes = reply.gzipped ?? (await compress(body));
    headers['Content-Encoding'] = 'gzip';
  }
  headers['Content-Type'] = 'application/json; charset=utf-8';
  headers['Content-Length'] = bytes.length;
  response.writeHead(reply.status, headers);
  if (headers.Connection === 'close' && !exchange.request.complete) {
    endAfterRequest(exchange, response, bytes);
  } else {
    response.end(bytes);
  }
}

/** Compresses at the level all answers are compressed at. */
export function compress(body: Buffer): Buffer | Promise<Buffer> {
  const options = { level: LEVEL };
  return body.length <= SYNC_BYTES ? gzipSync(body, options) : gzipAsync(body, options);
}

/**
 * Closing a connection whose request is still arriving resets it, and the reset can overtake the answer. So the
 * answer goes out, and the rest of the request is thrown away for a while before the close (RFC 9112, 9.6).
 */
function endAfterRequest({ request }: Exchange, response: ServerResponse, bytes: Buffer): void {
  response.write(bytes);
  let left = LINGER_BYTES;
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) response.end();
  });
  request.on('close', () => response.end());
  request.on('end', () => response.end());
  request.resume();
}
