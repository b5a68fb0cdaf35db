import type { ReasonCode } from '../../proto/reasons.ts';
import { reasons } from '../../proto/reasons.ts';
import { ServiceError } from '../../proto/service-error.ts';
import type { Reply } from './exchange.ts';

const DEFECT = 'Something went wrong in the service. The log has the cause under this request_id.';

/** Error for a request whose caller closed the connection before it got an answer. */
export class CallerGone extends Error {
  override name = 'CallerGone';
}

/**
 * Returns the error that the caller gets if `thrown` was thrown. A ServiceError is returned unchanged. Any other value
 * becomes the error INTERNAL_1 with a fixed message.
 */
export function asServiceError(thrown: unknown): ServiceError {
  return thrown instanceof ServiceError ? thrown : new ServiceError('INTERNAL_1', DEFECT);
}

/**
 * Returns the reply to a failed request. Its JSON body has `error`, `message` and `request_id`. POST_2 and QUERY_1 add
 * `details`, QUOTA_1 adds `quota` and `used`, and GET_1 has no `request_id`.
 */
export function errorReply(error: ServiceError, requestId: string): Reply {
  const { code, message, details } = error;
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  const retryAfter = retryAfterSeconds(error);
  if (retryAfter !== undefined) headers['Retry-After'] = String(retryAfter);
  const body = {
    error: code,
    message,
    ...(details.violations && { details: details.violations }),
    ...(code === 'QUOTA_1' && quotaFacts(details.facts)),
    // The reply for the error GET_1 has no request id, because the specification of this error allows only the keys
    // `error` and `message` in the body.
    ...(code !== 'GET_1' && { request_id: requestId }),
  };
  return { status: reasons[code].http, code, headers, body: Buffer.from(JSON.stringify(body)) };
}

/**
 * Returns the reply to a request that is not valid HTTP. Its JSON body has `error`, `message` and `request_id`.
 * `status` is 400, 408, 413 or 431.
 */
export function protocolErrorReply(status: number, message: string, requestId: string): Reply {
  const code: ReasonCode = 'HTTP_1';
  const body = Buffer.from(JSON.stringify({ error: code, message, request_id: requestId }));
  return { status, code, headers: { 'Cache-Control': 'no-store' }, body };
}

function retryAfterSeconds({ code, details }: ServiceError): number | undefined {
  const { http } = reasons[code];
  // The error HOOK_2 (too many webhooks) gets no Retry-After: waiting does not help, the caller must delete a webhook.
  if ((http !== 429 && http !== 503) || code === 'HOOK_2') return undefined;
  return Math.max(1, Math.ceil(details.retryAfterSeconds ?? 1));
}

function quotaFacts(facts: Record<string, string> | undefined): { quota: number; used: number } {
  return { quota: Number(facts?.quota ?? 0), used: Number(facts?.used ?? 0) };
}
