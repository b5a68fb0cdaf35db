import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../proto/service-error.ts';
import { type Exchange, headerOf, type Request } from '../http/exchange.ts';
import {
  type BodyAllocation,
  decodeBody,
  isReadableCoding,
  readableCodings,
  readBody,
  SMALL_BODY_BYTES,
  tooLarge,
} from './read-body.ts';

/**
 * Returns true if a body is plain: JSON that is not compressed, and small enough to be buffered before authentication.
 */
export function hasPlainBody(request: Request): boolean {
  const length = Number(request.headers['content-length']);
  return (
    length > 0 &&
    length <= SMALL_BODY_BYTES &&
    request.headers['content-type'] === JSON_TYPE &&
    request.headers['content-encoding'] === undefined
  );
}

/**
 * Reads the JSON body of a request, such as a fetch. If the body is not acceptable, resolves to the error: POST_2
 * (invalid compressed data), POST_4 (unsupported type or compression) or POST_5 (too large). The gateway must
 * authenticate the caller before it sends this error.
 *
 * Rejects with CallerGone if the caller closes the connection. `allocation` reserves the memory for a large body. If
 * the reservation fails, rejects with its error: the caller is not allowed to fetch, or the memory for large bodies is
 * used up.
 */
export async function readFetchBody(
  exchange: Exchange,
  request: IncomingMessage,
  allocation: BodyAllocation,
): Promise<Buffer | ServiceError> {
  const raw = await readBody(request, allocation);
  if (raw === undefined) return tooLarge();
  try {
    const coding = headerOf(exchange.request, 'content-encoding').trim().toLowerCase();
    // If a body has several faults, the caller gets the first of these errors: POST_5 (too large), POST_4 (wrong type),
    // POST_2 (invalid compressed data). The decompression shows the size, so it comes before the check of the type.
    const body = isReadableCoding(coding)
      ? await decodeBody(raw, coding, allocation).catch(returnInvalid)
      : undefined;
    checkType(exchange);
    if (body !== undefined) return body;
    exchange.headers['Accept-Encoding'] = readableCodings;
    throw unsupported(`Content-Encoding must be one of ${readableCodings}, or absent`);
  } catch (error) {
    if (error instanceof ServiceError && error.code.startsWith('POST_')) return error;
    throw error;
  }
}

/** Returns an error about invalid compressed data (POST_2). Throws any other error. */
function returnInvalid(error: unknown): ServiceError {
  if (error instanceof ServiceError && error.code === 'POST_2') return error;
  throw error;
}

const JSON_TYPE = 'application/json';

function checkType({ request }: Exchange): void {
  const [type = '', ...parameters] = headerOf(request, 'content-type').toLowerCase().split(';');
  if (type.trim() !== JSON_TYPE) {
    throw unsupported(`Content-Type must be application/json, not "${type.trim()}"`);
  }
  const charset = parameters.map(text => /^\s*charset\s*=\s*"?([^"\s]*)/.exec(text)?.[1]).find(Boolean);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw unsupported(`Content-Type must be application/json in UTF-8, not in ${charset}`);
  }
}

function unsupported(message: string): ServiceError {
  return new ServiceError('POST_4', `${message}.`);
}
