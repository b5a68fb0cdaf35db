import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import { type FreshnessRules, shownStatus } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { ALL_FIELDS, VISIBLE } from './transition.ts';

/**
 * Protobuf tag of the field `ping` in a payload. All visible fields (the fields that the change feed reports) have
 * lower tags. So they are stored before `ping`.
 */
const PING_TAG = 64;

const readBefore = new PayloadReader();
const readAfter = new PayloadReader();

/**
 * Returns which visible fields differ between two server records, as a sum of bits of `VISIBLE`. Compares the statuses
 * that answers show at the time `now` (Unix ms), not the stored ones. `visibleEnd`: index in `after.data` at which the
 * visible fields end. It is undefined if the probe got no payload; in this case, only the status is compared.
 */
export function changedFields(
  before: ServerRecord,
  after: ServerRecord,
  visibleEnd: number | undefined,
  now: number,
  rules: FreshnessRules,
): number {
  // If a server stays `online` and has recent data, answers show it as `online` before and after the change. So its
  // shown status is the same, and `shownStatus` is not called. The call would cost time, because it creates objects.
  const isFresh = now - before.lastOnlineAt <= rules.staleAfterMs;
  const isOnline = before.status === 'online' && after.status === 'online' && isFresh;
  const isSameStatus = isOnline || shownStatus(before, now, rules) === shownStatus(after, now, rules);
  const status = isSameStatus ? 0 : VISIBLE.status;
  return visibleEnd === undefined ? status : status | changedData(before.data, after.data, visibleEnd);
}

/** Returns which visible fields differ between two payloads (`ServerRecord.data`), as a sum of bits of `VISIBLE`. */
function changedData(before: Buffer, after: Buffer, end: number): number {
  // The visible fields are at the start of a payload. In `after`, they end at the index `end`. First compares the bytes
  // of these fields. After most probes, the bytes are equal, so the payloads need not be decoded.
  const next = before[end];
  if (isEqualRange(before, after, 0, end, 0, end) && (next === undefined || next >= PING_TAG)) return 0;
  if (!readAfter.read(after, 0, after.length)) return ALL_FIELDS & ~VISIBLE.status;
  if (!readBefore.read(before, 0, before.length)) return ALL_FIELDS & ~VISIBLE.status;
  const [b, a] = [readBefore, readAfter];
  return (
    (b.players === a.players ? 0 : VISIBLE.players) |
    (b.maxplayers === a.maxplayers ? 0 : VISIBLE.maxplayers) |
    (b.password === a.password ? 0 : VISIBLE.password) |
    (isEqualRange(before, after, b.nameStart, b.nameEnd, a.nameStart, a.nameEnd) ? 0 : VISIBLE.name) |
    (isEqualRange(before, after, b.mapStart, b.mapEnd, a.mapStart, a.mapEnd) ? 0 : VISIBLE.map) |
    (isEqualRange(before, after, b.versionStart, b.versionEnd, a.versionStart, a.versionEnd)
      ? 0
      : VISIBLE.version)
  );
}

function isEqualRange(
  before: Buffer,
  after: Buffer,
  beforeStart: number,
  beforeEnd: number,
  afterStart: number,
  afterEnd: number,
): boolean {
  const length = afterEnd - afterStart;
  if (beforeEnd - beforeStart !== length || beforeEnd > before.length) return false;
  // For texts of a few dozen bytes, a loop is cheaper than a call of `Buffer.compare`.
  for (let i = 0; i < length; i++) if (before[beforeStart + i] !== after[afterStart + i]) return false;
  return true;
}
