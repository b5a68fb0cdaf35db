import type { ReportedPayload } from '../../proto/codec/reported-payload.ts';

/**
 * Whether a server says what it said before though it cannot be so: somebody has been on it for some time, and for not
 * a second longer than last time. A protocol that does not tell how long players have been on shows nothing.
 *
 * `before` and `after` are its data as `renderData` wrote it, in which only `ping`, `connect` and `updated` may differ.
 */
export function isSameReply(payload: ReportedPayload, before: Buffer, after: Buffer): boolean {
  if (!payload.isTimed) return false;
  // The last player's time is at the end, and nearly always another.
  return endAlike(before, after) && beginAlike(before, after);
}

// Within a text of JSON every quote is escaped, so no name reads as one of these.
const PING = Buffer.from('"ping":');
const RAW = Buffer.from('"raw":');
/** Bytes that tell nearly all that differ, for less than a call into C++. */
const GLANCE = 16;

/** Whether all before `ping` is the same. */
function beginAlike(before: Buffer, after: Buffer): boolean {
  const end = after.indexOf(PING) + PING.length;
  return end <= before.length && after.compare(before, 0, end, 0, end) === 0;
}

/** Whether all from `raw` on is the same. */
function endAlike(before: Buffer, after: Buffer): boolean {
  const shift = before.length - after.length;
  for (let i = after.length - 1; i >= after.length - GLANCE; i--) {
    if (before[i + shift] !== after[i]) return false;
  }
  const start = after.indexOf(RAW);
  return start + shift >= 0 && after.compare(before, start + shift, before.length, start) === 0;
}
