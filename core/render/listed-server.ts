import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { viewOf } from '../servers/server-view.ts';
import { AnswerTag } from './answer-tag.ts';
import { writePayloadEnd, writeStablePart } from './payload.ts';

const COMMA = 0x2c;

/**
 * Writes a tracked server as JSON: `game_id`, `server`, and the payload with the same bytes as in the answer to a fetch.
 * If `tag` is given, includes the server in this entity tag.
 */
export function writeListedServer(
  out: ByteWriter,
  record: ServerRecord,
  now: number,
  rules: FreshnessRules,
  tag?: AnswerTag,
): void {
  const view = viewOf(record);
  const stale = showAt(view, now, rules);
  // Neither game ids nor canonical addresses contain characters that JSON must escape.
  out.text(`{"game_id":"${record.gameId}","server":"${record.address}"`);
  const start = out.length;
  writeStablePart(out, view);
  // Replaces the opening brace of the payload.
  out.room(0)[start] = COMMA;
  writePayloadEnd(out, stale);
  tag?.server(view.addressBytes, view.addressStart, view.addressEnd, view, stale);
}

/** Writes a tracked server as JSON (`writeListedServer`). Returns its entity tag in the form of the header `etag`. */
export function writeTaggedServer(
  out: ByteWriter,
  record: ServerRecord,
  now: number,
  rules: FreshnessRules,
): string {
  const tag = new AnswerTag();
  tag.text(record.gameId);
  writeListedServer(out, record, now, rules, tag);
  return `"${Buffer.from(tag.end()).toString('hex')}"`;
}
