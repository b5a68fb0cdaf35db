import { type FreshnessRules, showAt } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import { viewOf } from '../servers/server-view.ts';
import { AnswerTag } from './answer-tag.ts';

/** Returns the entity tag for the JSON of a tracked server (`writeListedServer`), as a value of the header `ETag`. */
export function serverTag(record: ServerRecord, now: number, rules: FreshnessRules): string {
  const view = viewOf(record);
  const stale = showAt(view, now, rules);
  const tag = new AnswerTag();
  tag.text(record.gameId);
  tag.server(view.addressBytes, view.addressStart, view.addressEnd, view, stale);
  return `"${Buffer.from(tag.end()).toString('hex')}"`;
}
