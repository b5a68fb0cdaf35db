import { PayloadReader } from '../../proto/codec/payload.generated.ts';
import { type FreshnessRules, shownStatus } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { ALL_FIELDS, VISIBLE } from './transition.ts';

/**
 * Protobuf tag of the field `ping`. In the data of a server, `ping` follows the last field whose changes the change
 * feed reports (visible fields). Therefore this tag or a higher one shows that no visible field follows.
 */
const PING_TAG = 64;

const readBefore = new PayloadReader();
const readAfter = new PayloadReader();

/**
 * Returns which fields of `VISIBLE` differ between two records of a server, as a sum of bits. Returns 0 if the two
 * records would be shown in the same way at the time `now` (Unix ms). The core calls this function after every probe.
 *
 * `visibleEnd`: position in the data of `after` at which the visible fields end (`ReportedPayload.visibleEnd`). It is
 * undefined if the probe got no payload. Both records then have the same data.
 *
 * Compares the status that answers show. For example, an online server that was not probed for a long time is shown as
 * `pending`. When it answers again, the shown status changes, although the stored status stays `online`.
 */
export function changedFields(
  before: ServerRecord,
  after: ServerRecord,
  visibleEnd: number | undefined,
  now: number,
  rules: FreshnessRules,
): number {
  // Callers see the stored status of a server that answered recently. If this status was `online` and still is, it did
  // not change. Therefore `shownStatus`, which creates an object in each call, is not called.
  const isFresh = now - before.lastOnlineAt <= rules.staleAfterMs;
  const isOnline = before.status === 'online' && after.status === 'online' && isFresh;
  const isSameStatus = isOnline || shownStatus(before, now, rules) === shownStatus(after, now, rules);
  const status = isSameStatus ? 0 : VISIBLE.status;
  return visibleEnd === undefined ? status : status | changedData(before.data, after.data, visibleEnd);
}

/** Returns which visible fields differ between two payloads (`ServerRecord.data`), as a sum of bits of `VISIBLE`. */
function changedData(before: Buffer, after: Buffer, end: number): number {
  // The first fields of a payload are the visible fields, whose changes the change feed reports. In most probes none of
  // them changes. Therefore their bytes are compared first, and the fields are decoded only if the bytes differ. Equal
  // bytes are not enough, because the payload `before` can have a further visible field after these bytes. Therefore
  // the tag of the next field in `before` is checked too.
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
