import type { HistoryStore } from '../../history/history-store.ts';
import type { SealOpenHours } from '../../history/kept-history.ts';

/**
 * Maximum number of history writes that may wait in the queue while samples of unfinished hours are copied. When the
 * queue has reached this number, copying stops until the queue is written. Otherwise the queue could overflow, and
 * writes would be lost.
 */
const MOST_COPIES = 20_000;

/** Dependencies of `copyOpenHours` (copies samples of unfinished hours to the history). */
export interface OpenHourCopiesDependencies {
  sealOpenHours: SealOpenHours;
  sealHour: HistoryStore['sealHour'];
  /** Returns the number of queued writes of the history. */
  queued: () => number;
  flush: () => Promise<void>;
}

/**
 * Copies samples of unfinished hours from the server records to the history. Copies only hours that began before
 * `before` (Unix ms). Rejects if the history cannot be written.
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
