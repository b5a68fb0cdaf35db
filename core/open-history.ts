import type { Logger } from '../runtime/log.ts';
import type { CoreConfig } from './core-settings.ts';
import type { OpenedEngine } from './engine.ts';
import type { KeptHistory } from './history/kept-history.ts';
import { longestHoldMs } from './history/longest-hold.ts';
import { SERVERS } from './servers/server-entry.ts';
import { History, historyDirectory } from './store/history/history.ts';
import type { HistoryPages } from './store/history/history-backup.ts';
import { EngineHistory } from './store/history-blobs/engine-history.ts';
import type { Retention } from './store/history-blobs/history-periods.ts';

/** Dependencies of `openHistory`. */
export interface OpenHistoryDependencies {
  config: CoreConfig;
  log: Logger;
  now: () => number;
  /** Returns the time of a monotonic clock in ms. Nobody can set this clock. */
  monotonic: () => number;
}

/** Result of `openHistory`: the history of the servers, and a reader of its stored entries. */
export interface OpenedHistory {
  history: KeptHistory;
  /**
   * Reads the stored entries of the history for `gsq migrate`. Undefined if the history is stored in Redis or Valkey.
   */
  pages: HistoryPages | undefined;
}

/** Returns how long the history is kept, according to the settings. */
export function retentionOf(config: CoreConfig): Retention {
  return {
    minutes: config.GSQ_HISTORY_MINUTES,
    quarters: config.GSQ_HISTORY_QUARTERS,
    days: config.GSQ_HISTORY_DAYS,
  };
}

/**
 * Opens the history: in Redis or Valkey if the servers are stored there, otherwise in LevelDB directories. Only the
 * process with the lock of the embedded store may write to these directories.
 */
export function openHistory(
  { config, log, now, monotonic }: OpenHistoryDependencies,
  { blobs, engine }: Pick<OpenedEngine, 'blobs' | 'engine'>,
): OpenedHistory {
  const options = {
    retention: retentionOf(config),
    longestHoldMs: longestHoldMs(config.GSQ_PROBE_INTERVAL),
    ...{ log, now, monotonic },
  };
  if (!blobs) {
    const history = History.open({ ...options, directory: historyDirectory(config.GSQ_DATA_DIR) });
    return { history, pages: history.pages };
  }
  const serverKeys = async (buckets: readonly number[]): Promise<string[]> => {
    const keys: string[] = [];
    await engine.readBuckets?.(buckets, SERVERS, key => keys.push(key.slice(SERVERS.length)));
    return keys;
  };
  return { history: new EngineHistory({ ...options, blobs, serverKeys }), pages: undefined };
}
