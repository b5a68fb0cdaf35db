import assert from 'node:assert/strict';
import { RestAnswer } from '../../../core/render/rest-answer.ts';
import type { FetchedPair } from '../../../core/servers/fetch-request.ts';
import { unknownGame } from '../../../core/servers/pair-check.ts';
import { newRecord } from '../../../core/servers/record-status.ts';
import type { ServerRecord } from '../../../core/servers/server-record.ts';
import { ByteWriter } from '../../../proto/codec/byte-writer.ts';
import { payloadOf } from '../payload-of.ts';
import { onlineRecord } from '../record-of.ts';

/** Default time at which the tests render answers, ms since the Unix epoch. */
export const at = Date.UTC(2026, 0, 1);
/** Settings that decide when the data of a server is stale. */
export const rules = { staleAfterMs: 600_000, probeIntervalMs: 60_000 };
/** Address of the server in all rendered answers, unless a test chooses a different address. */
export const ADDRESS = '1.2.3.4:27015';

/** Returns the record of a server that was never probed. */
export const pendingOf = (gameId: string): ServerRecord => newRecord(gameId, ADDRESS, 'tok_1', at, 60_000);

/** Returns the record of an online server whose name is the id of its game. */
export const onlineOf = (gameId: string): ServerRecord =>
  onlineRecord(pendingOf(gameId), at, { payload: payloadOf({ name: gameId }) });

/** Returns one result of a fetch: the requested game and address, and the record of the server. */
export const pairOf = (gameId: string, record: ServerRecord, server = ADDRESS): FetchedPair => ({
  gameId,
  server,
  record,
  inserted: false,
});

/** Returns the result of a fetch for one server whose game is unknown. */
export const invalidOf = (gameId: string, server = ADDRESS): FetchedPair => ({
  gameId,
  server,
  invalid: unknownGame,
  inserted: false,
});

/** One server in a REST answer: its address and its decoded data. */
interface Shown {
  server: string;
  payload: {
    name?: string;
    message?: string;
    _updater: { status: string };
    _stale?: { age_seconds: number };
  };
}

/** Renders a REST answer for these requested servers, and returns its JSON text. `now` is the time of the answer. */
export function textOf(pairs: FetchedPair[], now: number): string {
  const out = new ByteWriter();
  out.text('before');
  const { gzipped } = new RestAnswer(out, now, rules).pairs(pairs);
  assert.equal(gzipped, false);
  return out.takeBytes().toString('utf8', 'before'.length);
}

/** Renders a REST answer at the time `at` for these results of a fetch, and decodes it. */
export const answerTo = (...pairs: FetchedPair[]) => answerAt(at, pairs);

/** Renders a REST answer at the time `now` for these results of a fetch, and decodes it. */
export function answerAt(
  now: number,
  pairs: FetchedPair[],
): { servers: Shown[]; meta: Record<string, unknown[]> } {
  const text = textOf(pairs, now);
  const { _meta: meta, ...servers } = JSON.parse(text);
  assert.equal(Object.keys(JSON.parse(text)).at(-1), '_meta');
  return {
    servers: Object.entries(servers).map(([server, payload]) => ({ server, payload }) as Shown),
    meta,
  };
}
