import { fallback, staleOf, verdictOn } from './plain-status.ts';
import type { TrackedServer } from './random-servers.ts';
import type { Pair } from './requested-pairs.ts';
import { invalidUpdater } from './rest.ts';

/**
 * Builds the expected REST answers of a fetch with simple code, for comparison with the core. The keys have the
 * documented order.
 */

const MINUTE = 60_000;

const iso = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());

function restServer({ record, payload }: TrackedServer, now: number) {
  const { status, reason } = verdictOn(record, now);
  const _updater = {
    status,
    firewall_interval_minutes: Math.max(1, Math.ceil(record.intervalMs / MINUTE)),
    firewall_label: record.label,
    next_probe_at: iso(record.nextProbeAt),
    last_probe_at: iso(record.lastProbeAt),
    last_online_at: iso(record.lastOnlineAt),
    ...(reason && { reason }),
  };
  if (!payload) return { message: fallback(record), _updater };
  const _stale = staleOf(record, now);
  return {
    name: payload.name,
    map: payload.map,
    players: payload.players,
    maxplayers: payload.maxplayers,
    numplayers: payload.players,
    numbots: payload.numbots,
    password: payload.password,
    version: payload.version,
    ping: payload.ping,
    connect: payload.connect,
    updated: new Date(record.lastOnlineAt).toISOString().slice(0, 19).replace('T', ' '),
    raw: { numbots: payload.numbots, players: payload.playerList },
    _updater,
    ...(_stale && { _stale }),
  };
}

/**
 * Returns the rank of a result: 2 if online, 1 if not online, 0 if not tracked. If an address is requested for
 * several games, a REST answer shows only the result with the highest rank.
 */
function rank({ tracked }: Pair, now: number): number {
  if (!tracked) return 0;
  return verdictOn(tracked.record, now).status === 'online' ? 2 : 1;
}

const ref = ({ game_id, server }: Pair) => ({ game_id, server });

/** Returns the JSON text of the answer to a fetch over REST at the time `now`. */
export function restText(pairs: readonly Pair[], now: number): string {
  const shown = new Map<string, Pair>();
  for (const pair of pairs) {
    const other = shown.get(pair.server);
    if (pair.server !== '_meta' && (!other || rank(pair, now) > rank(other, now)))
      shown.set(pair.server, pair);
  }
  const duplicates = pairs.filter(pair => {
    const key = shown.get(pair.server)?.tracked?.record.key;
    return pair.tracked && key !== undefined && pair.tracked.record.key !== key;
  });
  const meta = {
    auto_inserted: pairs.filter(pair => pair.inserted).length,
    inserted_servers: pairs.filter(pair => pair.inserted).map(ref),
    invalid_servers: pairs.flatMap(pair => (pair.invalid ? [{ ...ref(pair), ...pair.invalid }] : [])),
    ...(duplicates.length > 0 && { duplicate_servers: duplicates.map(ref) }),
  };
  const members = [...shown].map(([server, { tracked, invalid }]) => {
    const payload = tracked
      ? restServer(tracked, now)
      : { message: invalid?.message ?? '', _updater: invalidUpdater };
    return `${JSON.stringify(server)}:${JSON.stringify(payload)}`;
  });
  return `{${[...members, `"_meta":${JSON.stringify(meta)}`].join()}}`;
}
