import { parseTraceparent } from '../../runtime/trace-context.ts';
import type { Exchange, Request } from './exchange.ts';

/** The ids of a request in log lines. Gateway and core log the same ids. */
export interface RequestOrigin {
  request_id: string;
  trace_id?: string;
  /** The span id of the caller, from the `traceparent` header. */
  parent_id?: string;
}

/** Returns the `traceparent` header of a request, or undefined if it is absent or invalid. */
export function traceparentOf({ headers }: Request): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && parseTraceparent(traceparent) ? traceparent : undefined;
}

/**
 * Returns the ids for the log lines of a request: the request id, and the trace id and parent span id if there is a
 * valid `traceparent` header.
 */
export function originOf({ request, id }: Exchange): RequestOrigin {
  const trace = parseTraceparent(traceparentOf(request) ?? '');
  return { request_id: id, ...(trace && { trace_id: trace.traceId, parent_id: trace.parentId }) };
}
