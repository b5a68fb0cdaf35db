import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { viewOf } from '../servers/server-view.ts';
import { writePayloadEnd, writeStablePart } from './payload.ts';

const COMMA = 0x2c;

/**
 * Writes a tracked server as an entry of a list: a JSON object with `game_id`, `server` and all keys of its payload, in
 * the same bytes as in the answer to a fetch.
 */
export function writeListedServer(
  out: ByteWriter,
  record: ServerRecord,
  now: number,
  rules: FreshnessRules,
): void {
  const view = viewOf(record);
  const stale = showAt(view, now, rules);
  out.text(`{"game_id":${JSON.stringify(record.gameId)},"server":${JSON.stringify(record.address)}`);
  // The payload is written as a JSON object, and then its opening brace is replaced by a comma. So its keys follow the
  // key `server` in the same object.
  const start = out.length;
  writeStablePart(out, view);
  out.room(0)[start] = COMMA;
  writePayloadEnd(out, stale);
}
