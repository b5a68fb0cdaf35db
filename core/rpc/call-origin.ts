import type { Metadata } from '@grpc/grpc-js';
import { parseTraceparent } from '../../runtime/trace-context.ts';

/** Metadata keys by which callers tell what a call is part of; the REST headers of the same names. */
const REQUEST_ID_KEY = 'x-request-id';
const TRACEPARENT_KEY = 'traceparent';

const SANE_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** What a call is part of, as log lines tell it; nothing of a caller's that is not sane. */
export interface CallOrigin {
  request_id?: string;
  trace_id?: string;
  /** The caller's span. */
  parent_id?: string;
}

/** The origin of a call, by its request id and its `traceparent`; empty where there is none. */
export function originOf(requestId: string, traceparent: string): CallOrigin {
  const origin: CallOrigin = SANE_ID.test(requestId) ? { request_id: requestId } : {};
  const trace = traceparent === '' ? undefined : parseTraceparent(traceparent);
  return trace ? { ...origin, trace_id: trace.traceId, parent_id: trace.parentId } : origin;
}

/** The same from the metadata of a call. */
export function originOfMetadata(metadata: Metadata): CallOrigin {
  const [requestId = ''] = metadata.get(REQUEST_ID_KEY);
  const [traceparent = ''] = metadata.get(TRACEPARENT_KEY);
  return originOf(String(requestId), String(traceparent));
}
