import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { REQUEST_ID_KEY, saneRequestId } from './call-origin.ts';
import { explainError } from './library-errors.ts';
import { acceptsGzip, gzipMessage } from './reply-encoding.ts';

/**
 * Tells callers not to compress requests. Without this header, grpc-js tells them that it accepts `deflate` and `gzip`.
 */
const PLAIN = { 'grpc-accept-encoding': 'identity' };
const GZIP = { ...PLAIN, 'grpc-encoding': 'gzip' };

/**
 * Changes what grpc-js sends on the HTTP/2 stream of a call, because grpc-js has no options for it: all errors get the
 * error details of gsq, and messages are compressed if the caller accepts gzip.
 */
export function prepareReplies(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
  const { respond, sendTrailers, write } = stream;
  const requestId = saneRequestId(String(headers[REQUEST_ID_KEY] ?? ''));
  const gzip = acceptsGzip(headers);
  stream.respond = (fields = {}, options) =>
    Reflect.apply(respond, stream, [
      { ...explainError(fields, requestId), ...(gzip ? GZIP : PLAIN) },
      options,
    ]);
  stream.sendTrailers = fields => Reflect.apply(sendTrailers, stream, [explainError(fields, requestId)]);
  if (!gzip) return;
  // grpc-js writes each message with one call of `write`, so each call compresses one whole message.
  stream.write = (message: Buffer, ...rest: unknown[]): boolean =>
    Reflect.apply(write, stream, [gzipMessage(message), ...rest]);
}
