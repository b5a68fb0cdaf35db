import type { Exchange } from '../http/exchange.ts';
import type { Route } from '../http/routes.ts';
import { type JsonContext, JsonEndpoint } from '../json/json-endpoint.ts';

/** The methods of the core that pages read from. */
const METHODS = {
  servers: 'gsq.v1.ServerService.ListServersJson',
  server: 'gsq.v1.ServerService.GetServerJson',
  summary: 'gsq.v1.ServerService.GetSummaryJson',
  history: 'gsq.v1.HistoryService.GetHistoryJson',
  uptime: 'gsq.v1.HistoryService.GetUptimeJson',
  incidents: 'gsq.v1.HistoryService.ListIncidentsJson',
} as const;

/** Parameters of a call: path variables and query parameters, as in docs/rest.md. */
export interface ReadParameters {
  variables?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
}

/**
 * Reads what a page shows from the core, on behalf of the caller of the page. So a page shows nothing that the caller
 * could not also read through the API. All reads for one request count as one request of the caller.
 */
export class CoreReads {
  readonly #endpoints: Readonly<Record<keyof typeof METHODS, JsonEndpoint>>;

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
   * Calls a method of the core, and returns the parsed JSON of its answer. `isFurther`: true for all reads of a request
   * but the first. Rejects with ServiceError if the core refuses the call.
   */
  async read<Answer>(
    exchange: Exchange,
    method: keyof typeof METHODS,
    { variables = {}, query = {} }: ReadParameters,
    isFurther = false,
  ): Promise<Answer> {
    const target = { variables, query: new URLSearchParams(query) };
    const { body } = await this.#endpoints[method].callMethod(exchange, target, isFurther);
    return JSON.parse(body.toString('utf8')) as Answer;
  }
}
