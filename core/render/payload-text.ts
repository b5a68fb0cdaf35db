import { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { viewOf } from '../servers/server-view.ts';
import { writePayloadEnd, writeStablePart } from './payload.ts';

const writer = new ByteWriter();

/** Returns the payload of a server as JSON text, in the same bytes as in the answer to a fetch. */
export function payloadText(record: ServerRecord, now: number, rules: FreshnessRules): string {
  const view = viewOf(record);
  const stale = showAt(view, now, rules);
  writer.length = 0;
  writeStablePart(writer, view);
  writePayloadEnd(writer, stale);
  return writer.takeBytes().toString();
}
