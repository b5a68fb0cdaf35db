/** The trace and the span to which a request belongs (W3C Trace Context, level 1). */
export interface TraceContext {
  /** Trace id: 32 hexadecimal digits. */
  traceId: string;
  /** Span id of the caller: 16 hexadecimal digits. */
  parentId: string;
}

/**
 * Matches a `traceparent` header: version, trace id, parent id and flags, separated by dashes. In versions after 00,
 * more fields can follow.
 */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.{0,200})?$/;
const ZEROS = /^0+$/;

/** Parses a `traceparent` header. Returns undefined if it is invalid. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? undefined : { traceId, parentId };
}
