import { CredentialsError, RestError } from './errors.ts';
import { type Http, pause, type RequestOptions } from './http.ts';
import type { RestServerRef, RestTrackedServer } from './rest-types.generated.ts';

/**
 * The servers that a watch follows: single servers, or all servers of a game that the caller can see. The addresses of
 * single servers must fit into the head of a request: 16 KiB, enough for about 400 servers.
 */
export type WatchTarget = { servers: readonly RestServerRef[] } | { game: string };

/** A server that the service does not track. */
export interface UntrackedServer extends RestServerRef {
  tracked: false;
}

/** An event that `watchServers` yields. */
export type WatchEvent =
  /** The present state of servers. A long snapshot comes in several parts; `more` is false in the last part. */
  | { type: 'snapshot'; servers: (RestTrackedServer | UntrackedServer)[]; more: boolean }
  /** The newest state of a server after a visible change, such as a new map or a new number of players. */
  | { type: 'change'; server: RestTrackedServer | UntrackedServer };

interface Line {
  event: string;
  id: string;
  data: unknown;
}

/** How long a watch of servers waits. Tests replace these values. */
export interface WatchTimes {
  /** Longest time in which an event stream may carry no data, ms. */
  maxSilenceMs?: number;
  /** Waits before the client reopens an event stream. Rejects if the signal is aborted. */
  wait?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** Wait before the client reopens an event stream that has delivered an event, ms. */
const REOPEN_MS = 1_000;
/** Maximum wait before the client reopens an event stream, ms. `Retry-After` of the service can be longer. */
const MAX_BACKOFF_MS = 30_000;
/**
 * Longest time in which an event stream may carry no data, ms. The service sends a heartbeat every 15 s. But while its
 * core restarts, the service can be silent for a minute.
 */
const MAX_SILENCE_MS = 75_000;

/**
 * Yields the events of servers (`GET /v1/events`). If a stream is broken or silent, opens a new one that continues
 * after the last received event. Ends if the signal is aborted. Throws RestError if the service refuses the stream.
 */
export async function* watchServers(
  http: Http,
  target: WatchTarget,
  { signal }: RequestOptions,
  { maxSilenceMs = MAX_SILENCE_MS, wait = pause }: WatchTimes = {},
): AsyncGenerator<WatchEvent, void, undefined> {
  const query = queryOf(target);
  let lastId = '';
  // Number of streams that ended, or that the client could not open, since the last event.
  let failures = 0;
  for (;;) {
    // Wait that the service asks for with `Retry-After`, ms.
    let askedMs = 0;
    const closing = new AbortController();
    const both = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    // A connection can be lost without an error. Then only the missing data shows the loss.
    const limitWait = <T>(data: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => closing.abort(), maxSilenceMs);
      return data.finally(() => clearTimeout(timer));
    };
    try {
      if (lastId !== '') query.set('last_event_id', lastId);
      const headers = { Accept: 'application/x-ndjson' };
      const response = await limitWait(http.send({ path: `/v1/events?${query}`, headers, signal: both }));
      for await (const line of linesOf(response, limitWait)) {
        if (line.event === 'end') {
          refuseIfForbidden(line.data);
          break;
        }
        failures = 0;
        const event = eventOf(line);
        if (event) yield event;
        if (line.id !== '') lastId = line.id;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof RestError) {
        if (http.retryMs(error, failures) === undefined) throw error;
        askedMs = 1_000 * (error.retryAfterSeconds ?? 0);
      }
    } finally {
      // Closes the connection in every case. If the caller leaves its `for await` loop over the events, only this
      // `finally` block runs.
      closing.abort();
    }
    failures++;
    // The wait before the next request grows with each failure, even if the service or a proxy sends `Retry-After: 0`.
    // Otherwise the client would send hundreds of requests a second.
    const backoffMs = Math.min(MAX_BACKOFF_MS, REOPEN_MS * 2 ** (failures - 1));
    await wait(Math.max(askedMs, backoffMs), signal).catch(() => {});
    if (signal?.aborted) return;
  }
}

function queryOf(target: WatchTarget): URLSearchParams {
  return 'game' in target
    ? new URLSearchParams({ game: target.game })
    : new URLSearchParams(target.servers.map(({ game_id, server }) => ['server', `${game_id}/${server}`]));
}

/** Yields the lines of a stream of JSON lines. `limitWait`: limits the wait for the next data. */
async function* linesOf(
  response: Response,
  limitWait: <T>(data: Promise<T>) => Promise<T>,
): AsyncGenerator<Line, void, undefined> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await limitWait(reader.read());
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line);
  }
}

function eventOf({ event, data }: Line): WatchEvent | undefined {
  if (event === 'snapshot')
    return { type: 'snapshot', ...(data as { servers: RestTrackedServer[]; more: boolean }) };
  if (event === 'change') return { type: 'change', server: data as RestTrackedServer };
  return undefined;
}

/**
 * Throws CredentialsError if the last event of a stream says that the caller may no longer read the stream. `data`: the
 * data of the event `end`, with the keys of an error answer. If the error code in `data` does not begin with `AUTH_`,
 * the client may reopen the stream.
 */
function refuseIfForbidden(data: unknown): void {
  const error = new CredentialsError({ status: 401, headers: new Headers() }, data);
  if (error.code.startsWith('AUTH_')) throw error;
}
