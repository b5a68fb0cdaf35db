import { parseTraceparent } from '../../runtime/trace-context.ts';
import type { Exchange, Request } from '../http/exchange.ts';

/** What a request is part of, as log lines of gateway and core tell it. */
export interface RequestOrigin {
  request_id: string;
  trace_id?: string;
  /** The caller's span. */
  parent_id?: string;
}

/** The `traceparent` of a request, to be passed on; undefined where there is none that is valid. */
export function traceparentOf({ headers }: Request): string | undefined {
  const { traceparent } = headers;
  return typeof traceparent === 'string' && parseTraceparent(traceparent) ? traceparent : undefined;
}

export function originOf({ request, id }: Exchange): RequestOrigin {
  const trace = parseTraceparent(traceparentOf(request) ?? '');
  return { request_id: id, ...(trace && { trace_id: trace.traceId, parent_id: trace.parentId }) };
}
