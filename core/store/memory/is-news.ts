import {
  intervalMsAt,
  labelAt,
  queryPortAt,
  type RecordPointer,
  statusAt,
} from '../../servers/record-pointer.ts';
import type { ServerRecord } from '../../servers/server-record.ts';

/**
 * True if more than the players and the times of a server record has changed. Such a change must be stored immediately.
 */
export function isNews(before: RecordPointer, after: ServerRecord): boolean {
  return (
    after.status !== statusAt(before) ||
    after.label !== labelAt(before) ||
    after.intervalMs !== intervalMsAt(before) ||
    after.queryPort !== queryPortAt(before)
  );
}
