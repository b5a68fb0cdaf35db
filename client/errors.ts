/**
 * An error answer of the service. `code`: error code in the body, such as AUTH_3; empty if there is none. Subclasses
 * exist for the different kinds of errors.
 */
export class RestError extends Error {
  override name = 'RestError';
  readonly status: number;
  readonly code: string;
  /** The id of the failed request. The log of the service contains this id. */
  readonly requestId: string;
  /**
   * The invalid values of an invalid request: for each value, its path and a message. Empty if the error has another
   * cause.
   */
  readonly details: { path: string; message: string }[];
  /**
   * Seconds to wait before a retry of the failed request. Present if a retry can help: with status 503, and with 429
   * unless the code is HOOK_2. A date in the header `Retry-After` is converted to seconds.
   */
  readonly retryAfterSeconds: number | undefined;

  /** `now`: the present time (Unix ms), from which the client converts a date in `Retry-After` to seconds. */
  constructor(
    { status, headers }: Pick<Response, 'status' | 'headers'>,
    body: unknown,
    now: number = Date.now(),
  ) {
    const { error, message, details } = isObject(body) ? body : {};
    super(typeof message === 'string' ? message : `HTTP ${status} without an error of the service`);
    this.status = status;
    this.code = typeof error === 'string' ? error : '';
    this.requestId = headers.get('x-request-id') ?? '';
    this.details = Array.isArray(details) ? details : [];
    this.retryAfterSeconds = secondsOf(headers.get('retry-after') ?? '', now);
  }
}

/** Error answer for a request that is not valid. The HTTP status is 400, 405, 413 or 415. */
export class InvalidRequestError extends RestError {
  override name = 'InvalidRequestError';
}

/**
 * Error answer if the credentials are missing or wrong, or do not permit the request. The HTTP status is 401 or 403.
 */
export class CredentialsError extends RestError {
  override name = 'CredentialsError';
}

/**
 * Error answer with HTTP status 404: the service does not track the server, or the path of the request does not exist.
 */
export class NotFoundError extends RestError {
  override name = 'NotFoundError';
}

/** Error answer if a quota or a rate limit is used up. The HTTP status is 429. */
export class RateLimitError extends RestError {
  override name = 'RateLimitError';
}

/** Error answer if the service is overloaded or not available. The HTTP status is 5xx. */
export class UnavailableError extends RestError {
  override name = 'UnavailableError';
}

/**
 * Returns the error for an answer that does not report success. `body`: the parsed JSON of the answer; undefined if it
 * is not JSON. `now`: the present time (Unix ms).
 */
export function errorOf(
  response: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  now = Date.now(),
): RestError {
  const { status } = response;
  if (status === 401 || status === 403) return new CredentialsError(response, body, now);
  if (status === 404) return new NotFoundError(response, body, now);
  if (status === 429) return new RateLimitError(response, body, now);
  if (status >= 500) return new UnavailableError(response, body, now);
  if (status >= 400) return new InvalidRequestError(response, body, now);
  return new RestError(response, body, now);
}

/**
 * Returns the seconds until the time in a header `Retry-After` (RFC 9110, 10.2.3). gsq sends seconds, but a proxy can
 * send an HTTP date. Returns undefined if the header is neither.
 */
function secondsOf(retryAfter: string, now: number): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  // Date.parse accepts more than HTTP dates: for example, `1.5` is a day in 2001. An HTTP date begins with a weekday,
  // and ends with `GMT` or, in its oldest form, with a year.
  if (!/^[A-Z][a-z]{2,8},? .*:\d\d (GMT|\d{4})$/.test(retryAfter)) return undefined;
  // Date.parse would read an HTTP date without `GMT` (its oldest form) as a local time.
  const at = Date.parse(retryAfter.endsWith('GMT') ? retryAfter : `${retryAfter} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1_000));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
