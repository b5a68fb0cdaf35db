import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/routes.ts';
import { textOf } from '../json/call-metadata.ts';
import { type JsonContext, JsonEndpoint } from '../json/json-endpoint.ts';

/** The methods of the core that pages read from. */
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

/**
 * Reads the data for pages and images from the core. Reads without credentials, even if the request has some: everybody
 * gets the same data, so caches can never give a caller data that only other callers may see. All reads for one request
 * count as one request of the caller's address.
 */
export class CoreReads {
  readonly #endpoints: Readonly<Record<Method, JsonEndpoint>>;

  /** Throws an Error if a route is missing. */
  constructor(routes: readonly Route[], context: JsonContext) {
    const endpointOf = (rpc: string): JsonEndpoint => {
      const route = routes.find(one => one.rpc === rpc);
      if (!route) throw new Error(`${rpc} has no REST route`);
      return new JsonEndpoint(route, context);
    };
    const entries = Object.entries(METHODS).map(([name, rpc]) => [name, endpointOf(rpc)]);
    this.#endpoints = Object.fromEntries(entries);
  }

  /**
   * Calls a method of the core, and returns the parsed JSON of its answer. `isFurther`: false for the first read for a
   * request, true for all others. Rejects with ServiceError if the core refuses the call.
   */
  async read<Answer>(
    exchange: Exchange,
    method: Method,
    parameters: ReadParameters,
    isFurther = false,
  ): Promise<Answer> {
    return (await this.readCached<Answer>(exchange, method, parameters, isFurther)).answer;
  }

  /** Does the same as `read`. Also returns how long caches may store the answer, as a value of Cache-Control. */
  async readCached<Answer>(
    exchange: Exchange,
    method: Method,
    { variables = {}, query = {} }: ReadParameters,
    isFurther = false,
  ): Promise<{ answer: Answer; cacheControl: string }> {
    const target = { variables, query: new URLSearchParams(query) };
    const { body, metadata } = await this.#endpoints[method].callAsStranger(exchange, target, isFurther);
    const answer = JSON.parse(body.toString('utf8')) as Answer;
    return { answer, cacheControl: textOf(metadata, 'cache-control') || 'no-cache' };
  }
}
