import type { HistoryStore } from '../../history/history-store.ts';
import type { SealOpenHours } from '../../history/kept-history.ts';

/**
 * Maximum number of queued history writes while unfinished hours are copied. At this number, the copying stops to write
 * the queue first. After an outage of the probers, an overfull queue would drop writes.
 */
const MOST_COPIES = 20_000;

/** Dependencies of `copyOpenHours`. */
export interface OpenHourCopiesDependencies {
  sealOpenHours: SealOpenHours;
  sealHour: HistoryStore['sealHour'];
  /** Returns the number of queued writes of the history. */
  queued: () => number;
  flush: () => Promise<void>;
}

/**
 * Copies samples of unfinished hours from the server records to the history. The records keep them. `before` (Unix ms):
 * only hours that began earlier are copied. Rejects if the history cannot be written, so its write queue does not
 * overflow.
 */
export async function copyOpenHours(before: number, dependencies: OpenHourCopiesDependencies): Promise<void> {
  const { sealOpenHours, sealHour, queued, flush } = dependencies;
  const drain = async (): Promise<void> => {
    await flush();
    if (queued() >= MOST_COPIES) throw new Error('too many writes of the history are queued');
  };
  await sealOpenHours(before, (key, hour) => {
    sealHour(key, hour);
    return queued() < MOST_COPIES ? undefined : drain();
  });
}
