/** A caller's place in a trace (W3C Trace Context, level 1). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** The caller's own span, 16 hexadecimal digits. */
  parentId: string;
}

/** Version, trace id, parent id, flags; a later version may say more behind another dash. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.{0,200})?$/;
const ZEROS = /^0+$/;

/** Reads a `traceparent`; undefined where it is not one, which a caller's text is not to be told from a defect by. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return ZEROS.test(traceId) || ZEROS.test(parentId) ? undefined : { traceId, parentId };
}
