/**
 * This program creates a data directory for the demo, with servers and an invented history. It reads a JSON array of
 * `ServerPast` from stdin, and uses the settings of the core. If a store already exists, it does nothing.
 */
import { existsSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { loadConfig } from '../runtime/load-config.ts';
import { createLogger } from '../runtime/log.ts';
import { settings } from '../runtime/settings.ts';
import { OPERATOR } from './admission/insert-guard.ts';
import { UNCONFIRMED_LIMITS, UnconfirmedServers } from './admission/unconfirmed-servers.ts';
import { storeDirectory } from './engine.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import { addSample } from './history/add-sample.ts';
import type { HistoryStore } from './history/history-store.ts';
import type { Sample } from './history/sample.ts';
import { openStore } from './open-store.ts';
import { type ChangedRecord, newRecord } from './servers/record-status.ts';
import type { NewServer } from './servers/server-store.ts';

/** A server of the demo, with invented results of probes from before the start of the demo. */
interface ServerPast {
  game_id: string;
  /** Canonical address. */
  address: string;
  max_players: number;
  /** Time between two invented samples (probe results) of the server, ms. */
  step_ms: number;
  /**
   * Invented samples of the server, the oldest first. `at`: time of the sample, Unix ms. `players`: number of players,
   * or null if the server was offline.
   */
  samples: [at: number, players: number | null][];
}

/**
 * Writes the samples of a server to the history. Returns the server with its new record, which contains the samples of
 * the current hour.
 */
function recordPast(past: ServerPast, history: HistoryStore, probeIntervalMs: number): NewServer {
  const { game_id: gameId, address, samples } = past;
  const first = samples[0]?.[0] ?? 0;
  const record = newRecord(gameId, address, OPERATOR, first, probeIntervalMs) as ChangedRecord;
  let isOnline = true;
  for (const [at, players] of samples) {
    const sealed = addSample(record, sampleOf(past, at, players));
    if (sealed) history.sealHour(record.key, sealed);
    if (isOnline && players === null) history.addOffline(record.key, at, 'no_reply');
    if (!isOnline && players !== null) history.addOnline(record.key, at);
    isOnline = players !== null;
  }
  // The first probe of this demo server is due now. Without this change, it would be due at the time of the oldest
  // invented sample, and would seem to be long overdue.
  return { gameId, address, insertedBy: OPERATOR, record: { ...record, nextProbeAt: Date.now() } };
}

function sampleOf(
  { max_players: maxPlayers, step_ms: step }: ServerPast,
  at: number,
  players: number | null,
): Sample {
  const known = players !== null;
  return {
    at,
    state: known ? 'online' : 'offline',
    players: players ?? undefined,
    maxPlayers: known ? maxPlayers : undefined,
    bots: 0,
    holdMs: 1.5 * step,
  };
}

async function importPast(): Promise<void> {
  const config = loadConfig(settings, process.env, []);
  const pasts = (await json(process.stdin)) as ServerPast[];
  if (existsSync(storeDirectory(config.GSQ_DATA_DIR))) return;
  const stored = await openStore({
    config,
    log: createLogger('past', config.GSQ_LOG_LEVEL, config.GSQ_LOG_FORMAT),
    now: Date.now,
    monotonic: () => performance.now(),
    unconfirmed: new UnconfirmedServers({ ...UNCONFIRMED_LIMITS, inAll: 1, aToken: 1 }),
    feed: new ChangeFeed({
      staleAfterMs: config.GSQ_STALE_AFTER,
      probeIntervalMs: config.GSQ_PROBE_INTERVAL,
    }),
    webhooks: { compare: async () => [], writeDirty: async () => {} },
    onRemove: () => {},
  });
  const servers = pasts.map(past => recordPast(past, stored.history.store, config.GSQ_PROBE_INTERVAL));
  await stored.store.insertIfAbsent(servers);
  await stored.supervisor.close();
  stored.quota.close();
  stored.lastUse.close();
  await stored.history.close();
  await stored.store.close();
  await stored.engine.close();
}

await importPast();
