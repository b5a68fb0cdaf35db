import {
  intervalMsAt,
  labelAt,
  queryPortAt,
  type RecordPointer,
  statusAt,
} from '../../servers/record-pointer.ts';
import type { ServerRecord } from '../../servers/server-record.ts';

/** True if the change of a server record must be stored immediately. New players and new times can be stored later. */
export function isNews(before: RecordPointer, after: ServerRecord): boolean {
  return (
    after.status !== statusAt(before) ||
    after.label !== labelAt(before) ||
    after.intervalMs !== intervalMsAt(before) ||
    after.queryPort !== queryPortAt(before)
  );
}
