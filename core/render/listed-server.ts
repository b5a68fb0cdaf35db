import type { ByteWriter } from '../../proto/codec/byte-writer.ts';
import { type FreshnessRules, type Staleness, showAt } from '../servers/freshness.ts';
import type { ServerRecord } from '../servers/server-record.ts';
import type { FragmentCache } from '../servers/server-store.ts';
import { type ServerView, viewOf } from '../servers/server-view.ts';
import { writePayloadEnd } from './payload.ts';
import { writePlainFragment } from './plain-fragment.ts';

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
  writeListedView(out, record, view, stale);
}

/**
 * Writes a tracked server as an entry of a list, like `writeListedServer`. The caller has already computed `view`
 * (result of `viewOf`) and `stale` (result of `showAt` for this view). `fragments`: cache with the JSON of single
 * servers.
 */
export function writeListedView(
  out: ByteWriter,
  { gameId, address }: Pick<ServerRecord, 'gameId' | 'address'>,
  view: ServerView,
  stale: Staleness | undefined,
  fragments?: FragmentCache,
): void {
  out.text(`{"game_id":${JSON.stringify(gameId)},"server":${JSON.stringify(address)}`);
  // Writes the payload after the key `server`, in the same JSON object. The payload begins with an opening brace. A
  // comma replaces this brace.
  const start = out.length;
  writePlainFragment(out, view, fragments);
  out.room(0)[start] = COMMA;
  writePayloadEnd(out, stale);
}
