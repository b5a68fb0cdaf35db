import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { deflateFragment, GzipMember } from '../../proto/codec/gzip-member.ts';
import { overloaded } from '../upstream/core-errors.ts';
import { errorReply } from './error-reply.ts';
import type { Reply } from './exchange.ts';

// The body is the same in every reply except for its last value, the request id. Therefore the first part of the body
// is compressed only once.
const { body: sample, ...REPLY } = errorReply(overloaded, '');
const TAIL = '"}';
const HEAD = Buffer.from(sample ?? '').subarray(0, -TAIL.length);
const HEAD_DEFLATED = deflateFragment(HEAD);
const writer = new ByteWriter();

/**
 * Returns the reply to a request that load shedding refuses. It equals `errorReply(overloaded)`, but with another
 * Retry-After. Its body is compressed by joining a prepared gzip fragment with the request id. This takes 3 µs, against
 * 12 µs for `errorReply` and gzip.
 */
export function overloadReply(requestId: string, retryAfterSeconds: number): Reply {
  // A valid request id contains only ASCII characters that JSON does not escape.
  const tail = requestId + TAIL;
  return {
    ...REPLY,
    headers: { ...REPLY.headers, 'Retry-After': String(retryAfterSeconds) },
    logged: true,
    body: Buffer.concat([HEAD, Buffer.from(tail, 'latin1')]),
    gzipped: () => {
      const member = new GzipMember(writer);
      member.addFragment(HEAD_DEFLATED, 0, HEAD_DEFLATED.length);
      writer.text(tail);
      member.finish();
      return writer.take();
    },
  };
}
