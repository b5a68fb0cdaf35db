import { randomUUID } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import { isRequestId } from '../../proto/request-id.ts';
import { parseTraceparent } from '../../runtime/trace-context.ts';

/** Metadata key of the request id of a call. The REST header has the same name. */
export const REQUEST_ID_KEY = 'x-request-id';
/** Metadata key of the trace context of a call. The REST header has the same name. */
export const TRACEPARENT_KEY = 'traceparent';

/** Request id and trace context of a call, as fields of log lines. Malformed values from callers are left out. */
export interface CallOrigin {
  request_id?: string;
  trace_id?: string;
  /** Id of the trace span in which the caller made the call. */
  parent_id?: string;
}

/** Returns the request id of a call, or an empty string if the id is not valid. */
export function saneRequestId(requestId: string): string {
  return isRequestId(requestId) ? requestId : '';
}

/**
 * Returns the request id and the trace context of a call as fields of log lines. An empty or malformed string adds no
 * field.
 */
export function originOf(requestId: string, traceparent: string): CallOrigin {
  const sane = saneRequestId(requestId);
  const origin: CallOrigin = sane === '' ? {} : { request_id: sane };
  const trace = traceparent === '' ? undefined : parseTraceparent(traceparent);
  return trace ? { ...origin, trace_id: trace.traceId, parent_id: trace.parentId } : origin;
}

/** Reads the request id and the trace context of a call from its gRPC metadata. */
export function originOfMetadata(metadata: Metadata): CallOrigin {
  const [requestId = ''] = metadata.get(REQUEST_ID_KEY);
  const [traceparent = ''] = metadata.get(TRACEPARENT_KEY);
  return originOf(String(requestId), String(traceparent));
}

/**
 * Returns the request id of a failed call. If the caller sent no valid id, adds a random id to the metadata. The log
 * lines about the call then contain the id that the caller sees in the error.
 */
export function requestIdOf(metadata: Metadata): string {
  const { request_id: given } = originOfMetadata(metadata);
  if (given !== undefined) return given;
  const made = randomUUID();
  metadata.set(REQUEST_ID_KEY, made);
  return made;
}
