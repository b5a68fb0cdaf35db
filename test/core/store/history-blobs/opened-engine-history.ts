import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { bucketOfServer } from '../../../../core/cluster/buckets.ts';
import type { RecordsOfHistory } from '../../../../core/history/kept-history.ts';
import { newRecord } from '../../../../core/servers/record-status.ts';
import type { BlobStore } from '../../../../core/store/history-blobs/blob-store.ts';
import {
  EngineHistory,
  type EngineHistoryOptions,
} from '../../../../core/store/history-blobs/engine-history.ts';
import type { Clock } from '../../clock.ts';
import { LONGEST_HOLD, RETENTION } from '../history/opened-history.ts';

/**
 * Opens a history in blobs (strings of a storage engine) until the end of the test. `servers`: returns the keys of the
 * present servers. `openHourOf`: returns the samples of the unfinished hour of a server.
 */
export function openEngineHistory(
  t: TestContext,
  blobs: BlobStore,
  clock: Clock,
  servers: () => readonly string[],
  options: Partial<Pick<EngineHistoryOptions, 'longestHoldMs' | 'retention'>> = {},
  openHourOf: (key: string) => Uint8Array = () => new Uint8Array(),
): EngineHistory {
  const history = new EngineHistory({
    blobs,
    retention: RETENTION,
    longestHoldMs: LONGEST_HOLD,
    serverKeys: async buckets => servers().filter(key => buckets.includes(bucketOfServer(key))),
    now: clock.now,
    // This clock makes the history believe that it was opened one hour ago. In the first quarter of an hour after its
    // opening, a history does not roll up (summarise) finished days.
    monotonic: monotonicFrom(clock),
    log: pino({ level: 'silent' }),
    serverPauseMs: 0,
    ...options,
  });
  history.connectRecords(recordsOf(servers, openHourOf));
  t.after(() => history.close());
  return history;
}

/**
 * Returns a monotonic clock for a history. It shows the same time as `clock`, except that the first call returns a time
 * one hour earlier. The history makes the first call when it opens.
 */
function monotonicFrom(clock: Clock): () => number {
  let isFirst = true;
  return () => {
    const at = isFirst ? clock.at - 3_600_000 : clock.at;
    isFirst = false;
    return at;
  };
}

function recordsOf(
  servers: () => readonly string[],
  openHourOf: (key: string) => Uint8Array,
): RecordsOfHistory {
  return {
    holds: 0,
    writeHeld() {},
    async sealOpenHours() {},
    buckets: {
      complete: () => [...new Set(servers().map(bucketOfServer))],
      async visitRecords(buckets, visit) {
        for (const key of servers()) {
          const bucket = bucketOfServer(key);
          const [gameId = '', address = ''] = key.split(' ');
          const record = newRecord(gameId, address, 'admin', 0, 60_000);
          if (buckets.includes(bucket)) visit(bucket, { ...record, openHour: Buffer.from(openHourOf(key)) });
        }
      },
    },
  };
}
