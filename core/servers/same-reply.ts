import type { ServerPayload__Output } from '../../proto/generated/gsq/v1/ServerPayload.ts';

/**
 * Whether a server says what it said before though it cannot be so: somebody has been on it for some time, and for not
 * a second longer than last time. A protocol that does not tell how long players have been on shows nothing.
 *
 * `before` and `after` are its data as `renderData` wrote it, in which only `ping`, `connect` and `updated` may differ.
 */
export function isSameReply(payload: ServerPayload__Output, before: Buffer, after: Buffer): boolean {
  if (!payload.playerList.some(({ time }) => time > 0)) return false;
  // The last player's time is at the end, and nearly always another.
  return endAlike(before, after) && beginAlike(before, after);
}

// Within a text of JSON every quote is escaped, so no name reads as one of these.
const PING = Buffer.from('"ping":');
const RAW = Buffer.from('"raw":');
const QUOTE = 0x22;

/** Whether all before `ping` is the same. */
function beginAlike(before: Buffer, after: Buffer): boolean {
  for (let i = 0; i < after.length && before[i] === after[i]; i++) {
    if (after[i] === QUOTE && standsAt(PING, after, i)) return standsAt(PING, before, i);
  }
  return false;
}

/** Whether all from `raw` on is the same. */
function endAlike(before: Buffer, after: Buffer): boolean {
  const shift = before.length - after.length;
  for (let i = after.length - 1; i >= 0 && before[i + shift] === after[i]; i--) {
    if (after[i] === QUOTE && standsAt(RAW, after, i)) return true;
  }
  return false;
}

function standsAt(text: Buffer, data: Buffer, at: number): boolean {
  for (let i = 0; i < text.length; i++) if (data[at + i] !== text[i]) return false;
  return true;
}
