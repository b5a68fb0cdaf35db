import type { Metadata } from '@grpc/grpc-js';
import { parseTraceparent } from '../../runtime/trace-context.ts';

/** Metadata keys of a call's request id and trace context; the REST headers have the same names. */
const REQUEST_ID_KEY = 'x-request-id';
const TRACEPARENT_KEY = 'traceparent';

const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Request id and trace of a call, as fields of log lines. Malformed values of callers are left out. */
export interface CallOrigin {
  request_id?: string;
  trace_id?: string;
  /** The caller's span. */
  parent_id?: string;
}

/** The origin of a call from its request id and its `traceparent`; either may be empty. */
export function originOf(requestId: string, traceparent: string): CallOrigin {
  const origin: CallOrigin = SANE_ID.test(requestId) ? { request_id: requestId } : {};
  const trace = traceparent === '' ? undefined : parseTraceparent(traceparent);
  return trace ? { ...origin, trace_id: trace.traceId, parent_id: trace.parentId } : origin;
}

/** The origin of a call from its metadata. */
export function originOfMetadata(metadata: Metadata): CallOrigin {
  const [requestId = ''] = metadata.get(REQUEST_ID_KEY);
  const [traceparent = ''] = metadata.get(TRACEPARENT_KEY);
  return originOf(String(requestId), String(traceparent));
}
