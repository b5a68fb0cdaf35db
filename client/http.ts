import { errorOf, RestError } from './errors.ts';

/** The options of a REST client: the address of the service, and the credentials of the caller. */
export interface RestClientOptions {
  /**
   * The address of the service, such as `http://127.0.0.1:8080`. An empty string means the host of the current web
   * page.
   */
  baseUrl: string;
  /** The credentials of the caller. Paths that everybody may read need no credentials. */
  credentials?: { token: string; tier: 'FREE' | 'PRO'; email: string };
  /** Longest time to wait for an answer, in milliseconds. The default is 15 seconds. */
  timeoutMs?: number;
  /**
   * Maximum number of retries of a request, if the service answers with `Retry-After` (429 or 503) or cannot be
   * reached. An answer of a proxy (502, 503 or 504) counts as not reachable. Default: 2.
   */
  retries?: number;
  /** Longest time to wait before a retry, in seconds. If `Retry-After` is longer, the request fails. Default: 30. */
  maxRetryAfterSeconds?: number;
}

/** Options that every request of the client can have. */
export interface RequestOptions {
  /** Signal that ends the request. The request then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** One request of the client to the REST API. */
export interface HttpRequest extends RequestOptions {
  method?: 'GET' | 'POST' | 'DELETE';
  /** URL path of the request, with its query. */
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

const TIMEOUT_MS = 15_000;
const RETRIES = 2;
const MAX_RETRY_AFTER_SECONDS = 30;
/** Wait before the first retry if the service cannot be reached, ms. The wait doubles with each retry. */
const BACKOFF_MS = 500;
/** Longest delay of `setTimeout`, ms (25 days). A timer with a longer delay fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends the requests of a client: adds its credentials, repeats refused requests, and throws errors for error answers.
 */
export class Http {
  readonly #options: RestClientOptions;

  constructor(options: RestClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a request, and returns the parsed JSON of the answer. Rejects with RestError if the service answers with an
   * error, with TypeError if the service cannot be reached, and with a TimeoutError if the answer takes too long.
   */
  async json(request: HttpRequest): Promise<unknown> {
    const { timeoutMs = TIMEOUT_MS, retries = RETRIES } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        const timeout = AbortSignal.timeout(timeoutMs);
        const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
        const response = await this.send({ ...request, signal });
        const body = parseJson(await response.text());
        if (body === undefined) throw errorOf(response, undefined);
        return body;
      } catch (error) {
        const waitMs = attempt < retries ? this.retryMs(error, attempt) : undefined;
        if (waitMs === undefined) throw error;
        await pause(waitMs, request.signal);
      }
    }
  }

  /** Sends a request once. Resolves when the headers of a successful answer have arrived. */
  async send({ method = 'GET', path, headers, body, signal }: HttpRequest): Promise<Response> {
    const { baseUrl, credentials } = this.#options;
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}${path}`, {
      method,
      headers: {
        ...(credentials && {
          'X-API-Token': credentials.token,
          'X-API-Token-Type': credentials.tier,
          'X-API-Token-Email': credentials.email,
        }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw errorOf(response, parseJson(await response.text()));
    return response;
  }

  /** Returns the wait before a failed request can be sent again, ms. Returns undefined if a retry makes no sense. */
  retryMs(error: unknown, attempt: number): number | undefined {
    const { maxRetryAfterSeconds = MAX_RETRY_AFTER_SECONDS } = this.#options;
    // `fetch` rejects with TypeError if the service cannot be reached. Such a request is tried again.
    if (error instanceof TypeError) return BACKOFF_MS * 2 ** attempt;
    if (!(error instanceof RestError)) return undefined;
    const { status, code, retryAfterSeconds: seconds } = error;
    // A proxy that cannot reach the service answers with the status 502, 503 or 504, and without an error code of the
    // service. The service sends `Retry-After` with each 503, but a proxy can remove or change this header.
    if (seconds === undefined)
      return status === 503 || (status >= 502 && code === '') ? BACKOFF_MS * 2 ** attempt : undefined;
    return seconds <= maxRetryAfterSeconds ? 1_000 * seconds : undefined;
  }
}

/**
 * Waits for `ms` milliseconds, but at most MAX_TIMER_MS. Rejects with the reason of the signal if the signal is aborted
 * meanwhile.
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, MAX_TIMER_MS),
    );
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Parses JSON. Returns undefined if the text is not JSON, for example if a proxy answered instead of the service. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
