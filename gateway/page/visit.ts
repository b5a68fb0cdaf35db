import type { Caller } from '../../proto/generated/codec/fetch.ts';
import type { Target } from '../http/exchange.ts';

/** The parts of a request that pages and images use. It can be passed to another thread. */
export interface VisitFacts {
  /** Path of the route, with the names of its variables in braces. */
  path: string;
  /** Decoded value of each variable in the path, keyed by the name of the variable. */
  variables: Readonly<Record<string, string>>;
  /** Query of the URL without the question mark. */
  query: string;
  /** Id of the request. */
  id: string;
  caller: Caller;
  traceparent: string | undefined;
  /** Header Host. */
  host: string | undefined;
  acceptsHtml: boolean;
  acceptsGzip: boolean;
  /** Header If-None-Match. Empty if it is absent. */
  ifNoneMatch: string;
}

/** A request for a page or an image, in the thread that builds it. */
export interface Visit extends VisitFacts {
  target: Target;
  /**
   * Headers with the remaining allowance of the caller. They are sent with every answer, whether it is a success or an
   * error.
   */
  headers: Record<string, string>;
}
