import { parseTraceparent } from '../../runtime/trace-context.ts';
import type { Exchange, Request } from './exchange.ts';

/** The ids of a request in log lines, the same in gateway and core. */
export interface RequestOrigin {
  request_id: string;
  trace_id?: string;
  /** The caller's span id. */
  parent_id?: string;
}

/** The `traceparent` header of a request; undefined if it is absent or invalid. */
export function traceparentOf({ headers }: Request): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && parseTraceparent(traceparent) ? traceparent : undefined;
}

/** The request id of an exchange, and the trace id and span id of its `traceparent`, if it has a valid one. */
export function originOf({ request, id }: Exchange): RequestOrigin {
  const trace = parseTraceparent(traceparentOf(request) ?? '');
  return { request_id: id, ...(trace && { trace_id: trace.traceId, parent_id: trace.parentId }) };
}
