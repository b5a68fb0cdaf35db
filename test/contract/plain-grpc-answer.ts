import { fallback, staleOf, verdictOn } from './plain-status.ts';
import type { Pair } from './requested-pairs.ts';

/**
 * Builds the expected answers of FetchServers in a simple way, for comparison with the answers of the core. This code
 * builds one JavaScript object for each server.
 */

const MINUTE = 60_000;

const stamp = (ms: number) =>
  ms === 0 ? null : { seconds: Math.floor(ms / 1000), nanos: (ms % 1000) * 1_000_000 };

/**
 * Keys that proto-loader adds to a decoded payload: one for each optional field that has a value. The value of such a
 * key is the name of the field.
 */
const optional = { _players: 'players', _maxplayers: 'maxplayers' };

/**
 * Returns the answer to a fetch of these servers at the time `now`. The answer has the form in which proto-loader
 * decodes a FetchServersResponse.
 */
export function grpcAnswer(pairs: readonly Pair[], now: number) {
  const results = pairs.map(({ game_id, server, tracked, invalid }) => {
    const names = { gameId: game_id, server };
    if (!tracked) {
      const updater = {
        status: 'SERVER_STATUS_INVALID',
        firewallIntervalMinutes: 0,
        firewallLabel: 'FIREWALL_LABEL_NONE',
        nextProbeAt: null,
        lastProbeAt: null,
        lastOnlineAt: null,
        reason: '',
      };
      return { ...names, updater, payload: null, stale: null, message: invalid?.message };
    }
    const { record, payload } = tracked;
    const stale = payload && staleOf(record, now);
    return {
      ...names,
      updater: {
        status: `SERVER_STATUS_${verdictOn(record, now).status.toUpperCase()}`,
        firewallIntervalMinutes: Math.max(1, Math.ceil(record.intervalMs / MINUTE)),
        firewallLabel: `FIREWALL_LABEL_${record.label.toUpperCase()}`,
        nextProbeAt: stamp(record.nextProbeAt),
        lastProbeAt: stamp(record.lastProbeAt),
        lastOnlineAt: stamp(record.lastOnlineAt),
        reason: verdictOn(record, now).reason,
      },
      payload: payload ? { ...payload, ...optional, updated: stamp(record.lastOnlineAt) } : null,
      stale: stale
        ? {
            reason: stale.reason,
            ageSeconds: stale.age_seconds,
            thresholdSeconds: stale.threshold_seconds,
            lastSuccessAt: stamp(record.lastOnlineAt),
          }
        : null,
      message: payload ? '' : fallback(record),
    };
  });
  const refs = (chosen: readonly Pair[]) =>
    chosen.map(({ game_id, server }) => ({ gameId: game_id, server }));
  return {
    results,
    meta: {
      autoInserted: pairs.filter(pair => pair.inserted).length,
      insertedServers: refs(pairs.filter(pair => pair.inserted)),
      invalidServers: pairs.flatMap(({ game_id, server, invalid }) =>
        invalid ? [{ gameId: game_id, server, ...invalid }] : [],
      ),
    },
  };
}
