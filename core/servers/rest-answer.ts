import { type FreshnessRules, freshJson } from './freshness.ts';
import { renderInvalid } from './payload.ts';
import type { FetchedPair } from './server-fetch.ts';

/** A fetch as REST shows it: a JSON object for each address key, in order of first mention, and `_meta`. */
export interface RestAnswer {
  servers: { server: string; payload: Buffer }[];
  meta: Buffer;
}

/** The key of the report; an address written like it is only named there, as invalid. */
const RESERVED_KEY = '_meta';

/** Which of two pairs under one address key is shown: the one that is online, then one that is valid at all. */
function rank(pair: FetchedPair): number {
  if (pair.record?.status === 'online') return 2;
  return pair.record ? 1 : 0;
}

/** Renders a fetch for REST (SPEC, fetch response; CONTRACT, `_meta`). */
export function restAnswer(pairs: readonly FetchedPair[], now: number, rules: FreshnessRules): RestAnswer {
  const shown = new Map<string, FetchedPair>();
  const hidden: FetchedPair[] = [];
  for (const pair of pairs) {
    if (pair.server === RESERVED_KEY) continue;
    const other = shown.get(pair.server);
    if (!other) shown.set(pair.server, pair);
    else if (rank(pair) > rank(other)) {
      shown.set(pair.server, pair);
      hidden.push(other);
    } else hidden.push(pair);
  }
  const servers: RestAnswer['servers'] = [];
  for (const [server, { record, invalid }] of shown) {
    const payload = record
      ? freshJson(record, now, rules)
      : renderInvalid(invalid?.message ?? 'This server was removed just now.');
    servers.push({ server, payload });
  }
  return {
    servers,
    meta: renderMeta(
      pairs,
      // The same server under a game's id and its alias is one pair.
      hidden.filter(({ server, record }) => record && record.key !== shown.get(server)?.record?.key),
    ),
  };
}

function renderMeta(pairs: readonly FetchedPair[], duplicates: readonly FetchedPair[]): Buffer {
  const ref = ({ gameId, server }: FetchedPair) => ({ game_id: gameId, server });
  const inserted = pairs.filter(pair => pair.inserted).map(ref);
  const invalid = pairs.flatMap(pair => (pair.invalid ? [{ ...ref(pair), ...pair.invalid }] : []));
  const meta = {
    auto_inserted: inserted.length,
    inserted_servers: inserted,
    invalid_servers: invalid,
    ...(duplicates.length > 0 ? { duplicate_servers: duplicates.map(ref) } : {}),
  };
  return Buffer.from(JSON.stringify(meta));
}
