import { callerKeys } from '../../proto/clients.ts';
import type { Route } from '../http/routes.ts';
import { addAllowances, strangerMetadata, textOf } from '../json/call-metadata.ts';
import { RequestMessages } from '../json/request-message.ts';
import { CallFailed, type JsonCalls, type JsonReply } from '../upstream/json-calls.ts';
import type { Visit } from './visit.ts';

/** The methods of the core with which pages and images read their data, keyed by a short name. */
const METHODS = {
  servers: 'gsq.v1.ServerService.ListServersJson',
  server: 'gsq.v1.ServerService.GetServerJson',
  summary: 'gsq.v1.ServerService.GetSummaryJson',
  status: 'gsq.v1.ServerService.GetStatusJson',
  history: 'gsq.v1.HistoryService.GetHistoryJson',
  uptime: 'gsq.v1.HistoryService.GetUptimeJson',
  incidents: 'gsq.v1.HistoryService.ListIncidentsJson',
} as const;

type Method = keyof typeof METHODS;

/** Parameters of a call: path variables and query parameters, as in docs/rest.md. */
export interface ReadParameters {
  variables?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
}

interface Reader {
  route: Route;
  messages: RequestMessages;
}

/**
 * Reads the data for pages and images from the core without credentials. So everybody gets the same data, and caches
 * can store it. All reads for one HTTP request count as one request of the caller's IP address.
 */
export class CoreReads {
  readonly #calls: JsonCalls;
  readonly #secret: string;
  readonly #readers: Readonly<Record<Method, Reader>>;

  /**
   * `routes`: the REST routes. Throws an Error if a core method in `METHODS` has no REST route. `secret`: secret of the
   * core's internal port.
   */
  constructor(routes: readonly Route[], calls: JsonCalls, secret: string) {
    this.#calls = calls;
    this.#secret = secret;
    const readerOf = (rpc: string): Reader => {
      const route = routes.find(one => one.rpc === rpc);
      if (!route) throw new Error(`${rpc} has no REST route`);
      return { route, messages: new RequestMessages(route) };
    };
    const entries = Object.entries(METHODS).map(([name, rpc]) => [name, readerOf(rpc)]);
    this.#readers = Object.fromEntries(entries);
  }

  /**
   * Calls a method of the core, and returns the parsed JSON of its answer. `isFurther`: true if the same HTTP request
   * has already called the core. Only the first call of an HTTP request counts against the limits of the caller.
   * Rejects with ServiceError if the call fails.
   */
  async read<Answer>(
    visit: Visit,
    method: Method,
    parameters: ReadParameters,
    isFurther = false,
  ): Promise<Answer> {
    return (await this.readCached<Answer>(visit, method, parameters, isFurther)).answer;
  }

  /**
   * Reads from the core like `read`, and also returns how long caches may store the answer, as a value of
   * Cache-Control.
   */
  async readCached<Answer>(
    visit: Visit,
    method: Method,
    parameters: ReadParameters,
    isFurther = false,
  ): Promise<{ answer: Answer; cacheControl: string }> {
    const { body, metadata } = await this.#call(visit, this.#readers[method], parameters, isFurther);
    const answer = JSON.parse(body.toString('utf8')) as Answer;
    return { answer, cacheControl: textOf(metadata, 'cache-control') || 'no-cache' };
  }

  async #call(
    visit: Visit,
    { route, messages }: Reader,
    { variables = {}, query = {} }: ReadParameters,
    isFurther: boolean,
  ): Promise<JsonReply> {
    const message = messages.fromTarget({ variables, query: new URLSearchParams(query) });
    const metadata = strangerMetadata(visit, this.#secret);
    if (isFurther) metadata.set(callerKeys.repeated, '1');
    const caller = visit.caller.address;
    try {
      const reply = await this.#calls.callCore({ method: route.rpcMethod, message, metadata, caller });
      addAllowances(visit.headers, reply.metadata);
      return reply;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      addAllowances(visit.headers, error.metadata);
      throw error.error;
    }
  }
}
