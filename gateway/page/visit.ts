import type { Caller } from '../../proto/generated/codec/fetch.ts';
import type { Target } from '../http/exchange.ts';

/** The parts of an HTTP request that pages and images use. The parts can be passed to another thread. */
export interface VisitFacts {
  /** Path of the route that the request matches, with the names of the path variables in braces. */
  path: string;
  /** Decoded value of each variable in the path, keyed by the name of the variable. */
  variables: Readonly<Record<string, string>>;
  /** Query of the URL of the request, without the question mark. */
  query: string;
  /** Id of the HTTP request. */
  id: string;
  caller: Caller;
  traceparent: string | undefined;
  /** Header Host. */
  host: string | undefined;
  acceptsHtml: boolean;
  acceptsGzip: boolean;
  /** Value of the header If-None-Match of the request. Empty if the header is absent. */
  ifNoneMatch: string;
}

/** A request for a page or an image, as the thread that builds the answer receives it. */
export interface Visit extends VisitFacts {
  target: Target;
  /**
   * Rate limit headers of the answer, which show how many more requests the caller can send. Error answers have these
   * headers too.
   */
  headers: Record<string, string>;
}
