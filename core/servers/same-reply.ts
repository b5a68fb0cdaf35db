import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';

const stored = new PayloadReader();
/** Bytes that tell nearly all that differ, for less than a call into C++. */
const GLANCE = 16;

/**
 * Whether a server repeats its last reply though it cannot be so: somebody has been on it for some time, and for not
 * a second longer than last time. A protocol that does not tell how long players have been on shows nothing.
 *
 * `before` is the payload as it was stored (`ServerRecord.data`). Its volatile fields, `ping` and `connect`, may differ.
 */
export function isSameReply(payload: ReportedPayload, before: Buffer): boolean {
  if (!payload.isTimed) return false;
  const { bytes, end } = payload;
  // The last player's time is at the end, and nearly always another.
  const shift = before.length - end;
  for (let at = end - 1; at >= end - GLANCE && at >= payload.volatileEnd; at--)
    if (before[at + shift] !== bytes[at]) return false;
  const headEnd = payload.volatileStart - payload.start;
  const tailStart = payload.volatileEnd + shift;
  if (headEnd > tailStart || tailStart > before.length) return false;
  return (
    bytes.compare(before, 0, headEnd, payload.start, payload.volatileStart) === 0 &&
    bytes.compare(before, tailStart, before.length, payload.volatileEnd, end) === 0 &&
    stored.read(before, 0, before.length) &&
    stored.volatileStart === headEnd &&
    stored.volatileEnd === tailStart
  );
}
