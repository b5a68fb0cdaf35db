import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';

const stored = new PayloadReader();
/**
 * Number of bytes at the end of a payload that `isSameReply` compares first. Two different payloads nearly always
 * differ in these bytes. A loop over a few bytes costs less than a call of `Buffer.compare`.
 */
const GLANCE = 16;

/**
 * Returns true if a server sent the same reply as last time (`before`). A working server never repeats a reply, because
 * the play times of its players change. Always returns false if the reply contains no play times. Ignores the fields
 * `ping` and `connect`.
 */
export function isSameReply(payload: ReportedPayload, before: Buffer): boolean {
  if (!payload.isTimed) return false;
  const { bytes, end } = payload;
  // Compares the last bytes of both payloads first. They nearly always differ, because they contain the play time of
  // the last player.
  const shift = before.length - end;
  for (let at = end - 1; at >= end - GLANCE && at >= payload.volatileEnd; at--)
    if (before[at + shift] !== bytes[at]) return false;
  const headEnd = payload.visibleEnd;
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
