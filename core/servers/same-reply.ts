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
  if (!tail(before).equals(tail(after))) return false;
  return facts(before).equals(facts(after)) && lists(before).equals(lists(after));
}

const TAIL = 8;

function tail(data: Buffer): Buffer {
  return data.subarray(-TAIL);
}

// Within a text of JSON every quote is escaped, so no name reads as one of these.
function facts(data: Buffer): Buffer {
  return data.subarray(0, data.indexOf('"ping":'));
}

function lists(data: Buffer): Buffer {
  return data.subarray(data.indexOf('"raw":'));
}
