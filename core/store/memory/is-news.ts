import {
  intervalMsAt,
  labelAt,
  queryPortAt,
  type RecordPointer,
  statusAt,
} from '../../servers/record-pointer.ts';
import type { ServerRecord } from '../../servers/server-record.ts';

/** True if a change of a server record is important: something other than the players and the times has changed. */
export function isNews(before: RecordPointer, after: ServerRecord): boolean {
  return (
    after.status !== statusAt(before) ||
    after.label !== labelAt(before) ||
    after.intervalMs !== intervalMsAt(before) ||
    after.queryPort !== queryPortAt(before)
  );
}
