import {
  intervalMsAt,
  labelAt,
  queryPortAt,
  type RecordPointer,
  statusAt,
} from '../../servers/record-pointer.ts';
import type { ServerRecord } from '../../servers/server-record.ts';

/**
 * True if a changed server record must be stored at once, because its status, label, probe interval or query port has
 * changed. If only players and times have changed, the record can be stored later.
 */
export function isNews(before: RecordPointer, after: ServerRecord): boolean {
  return (
    after.status !== statusAt(before) ||
    after.label !== labelAt(before) ||
    after.intervalMs !== intervalMsAt(before) ||
    after.queryPort !== queryPortAt(before)
  );
}
