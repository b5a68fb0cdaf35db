import { ServiceError } from '../../proto/service-error.ts';
import { type Exchange, headerOf } from '../http/exchange.ts';
import { parseFetchRequest, type ServerGroup } from './fetch-request.ts';
import {
  type BodyShare,
  decodeBody,
  isReadableCoding,
  readableCodings,
  readBody,
  tooLarge,
} from './read-body.ts';

/**
 * Reads and checks a fetch body in the order of CONTRACT: POST_5, POST_4, POST_2. Returns the error instead of
 * throwing it, because who is asking comes first. Rejects with CallerGone and as the share does.
 */
export async function readFetchBody(
  exchange: Exchange,
  share: BodyShare,
): Promise<ServerGroup[] | ServiceError> {
  const raw = await readBody(exchange.request, share);
  if (raw === undefined) return tooLarge();
  try {
    const coding = headerOf(exchange.request, 'content-encoding').trim().toLowerCase();
    // A body too large once decompressed is POST_5 whatever its type is.
    let body: Buffer | undefined = raw;
    if (coding !== '') body = isReadableCoding(coding) ? await decodeBody(raw, coding, share) : undefined;
    checkType(exchange);
    if (body === undefined) {
      exchange.headers['Accept-Encoding'] = readableCodings;
      throw unsupported(`Content-Encoding must be one of ${readableCodings}, or absent`);
    }
    return parseFetchRequest(body);
  } catch (error) {
    if (error instanceof ServiceError && error.code.startsWith('POST_')) return error;
    throw error;
  }
}

const JSON_TYPE = 'application/json';

function checkType({ request }: Exchange): void {
  const written = headerOf(request, 'content-type');
  if (written === JSON_TYPE) return;
  const [type = '', ...parameters] = written.toLowerCase().split(';');
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
