import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import { type FreshnessRules, shownStatus } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { ALL_FIELDS, VISIBLE } from './transition.ts';

/**
 * Protobuf tag of the field `ping`. The visible fields (those whose changes the change feed reports) have lower tags,
 * and come before `ping` in the data of a server. Therefore the visible fields end at the first tag that is PING_TAG or
 * higher.
 */
const PING_TAG = 64;

const readBefore = new PayloadReader();
const readAfter = new PayloadReader();

/**
 * Returns which of the fields in `VISIBLE` differ between two records of a server, as a sum of bits. Returns 0 if
 * answers at the time `now` (Unix ms) would show both records in the same way. The core calls this function after every
 * probe.
 *
 * `visibleEnd`: position in the data of `after` at which the visible fields end (`ReportedPayload.visibleEnd`). If the
 * probe got no payload, both records have the same data, and `visibleEnd` is undefined.
 *
 * Compares the status that answers show, which can differ from the stored status. For example, answers show an online
 * server as `pending` if it was not probed for a long time.
 */
export function changedFields(
  before: ServerRecord,
  after: ServerRecord,
  visibleEnd: number | undefined,
  now: number,
  rules: FreshnessRules,
): number {
  // Shortcut: answers show a server as `online` if its stored status is `online` and it answered recently. If this is
  // true before and after the probe, the status in answers has not changed. Therefore `shownStatus` is not called: each
  // call would create an object.
  const isFresh = now - before.lastOnlineAt <= rules.staleAfterMs;
  const isOnline = before.status === 'online' && after.status === 'online' && isFresh;
  const isSameStatus = isOnline || shownStatus(before, now, rules) === shownStatus(after, now, rules);
  const status = isSameStatus ? 0 : VISIBLE.status;
  return visibleEnd === undefined ? status : status | changedData(before.data, after.data, visibleEnd);
}

/** Returns which visible fields differ between two payloads (`ServerRecord.data`), as a sum of bits of `VISIBLE`. */
function changedData(before: Buffer, after: Buffer, end: number): number {
  // Shortcut: most probes change no visible field. (Visible fields are those whose changes the change feed reports.)
  // The visible fields are the first fields of a payload; in `after`, they end at `end`. The payloads need not be
  // decoded if their bytes up to `end` are equal, and if the next field in `before` is not visible.
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
