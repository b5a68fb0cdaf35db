import type { Response } from './exchange.ts';
import type { PlainRequest } from './plain-request.ts';

/** A route for plain requests: requests that are simple enough to be parsed without node:http. */
export interface PlainRoute {
  method: string;
  /** The request line, including its line break. */
  requestLine: string;
  /**
   * Returns true if this route can answer the request. If it returns false, node:http parses and handles the request.
   */
  acceptsPlain(request: PlainRequest): boolean;
  /** Handles a request for which `acceptsPlain` returned true. Must answer it, immediately or later. */
  listener(request: PlainRequest, response: Response): void;
}
