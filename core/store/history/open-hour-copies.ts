import type { HistoryStore } from '../../history/history-store.ts';
import type { SealOpenHours } from '../../history/kept-history.ts';

/**
 * Number of queued history writes at which the copying of unfinished hours waits for the queue. After an outage of the
 * probers, the copies could otherwise fill the queue, which then drops writes.
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
 * Copies samples of unfinished hours from the server records to the history, if the hours began before `before` (Unix
 * ms). The records keep the samples. Rejects if the history cannot be written, so its queue does not overflow.
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
