import type { Metadata } from '@grpc/grpc-js';
import { parseTraceparent } from '../../runtime/trace-context.ts';

/** Metadata keys of the request id and the trace context of a call. The REST headers have the same names. */
const REQUEST_ID_KEY = 'x-request-id';
const TRACEPARENT_KEY = 'traceparent';

const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Request id and trace context of a call, as fields of log lines. Malformed values from callers are left out. */
export interface CallOrigin {
  request_id?: string;
  trace_id?: string;
  /** Id of the span in which the caller made the call. */
  parent_id?: string;
}

/**
 * Returns the request id and the trace context of a call as fields of log lines. An empty or malformed string adds no
 * field.
 */
export function originOf(requestId: string, traceparent: string): CallOrigin {
  const origin: CallOrigin = SANE_ID.test(requestId) ? { request_id: requestId } : {};
  const trace = traceparent === '' ? undefined : parseTraceparent(traceparent);
  return trace ? { ...origin, trace_id: trace.traceId, parent_id: trace.parentId } : origin;
}

/** Reads the request id and the trace context of a call from its gRPC metadata. */
export function originOfMetadata(metadata: Metadata): CallOrigin {
  const [requestId = ''] = metadata.get(REQUEST_ID_KEY);
  const [traceparent = ''] = metadata.get(TRACEPARENT_KEY);
  return originOf(String(requestId), String(traceparent));
}
