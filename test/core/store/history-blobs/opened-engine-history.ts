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
 * Opens a history that is stored in blobs (strings of a storage engine). Closes it when the test ends. `servers`:
 * returns the keys of all servers. `openHourOf`: returns the samples of a server in the unfinished hour.
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
    // This clock pretends that the history was opened an hour ago. Otherwise, the tests would have to wait: a history
    // begins to summarise days 15 minutes after it was opened.
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
 * Returns a monotonic clock for the history. It shows the time of `clock`, except at the first call: then it shows a
 * time one hour earlier. The history makes the first call when it opens, so it seems to have opened an hour ago.
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
