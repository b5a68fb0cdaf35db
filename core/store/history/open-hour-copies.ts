import type { HistoryStore } from '../../history/history-store.ts';
import type { SealOpenHours } from '../../history/kept-history.ts';

/**
 * Maximum number of queued history writes while unfinished hours of samples are copied from the server records to the
 * history. At this number, the copying waits until the queue is written. Otherwise, after an outage of the probers, the
 * copies of all servers could fill the queue. A full queue drops its oldest writes.
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
 * Copies the samples of unfinished hours from the server records to the history. Copies only hours that began before
 * the time `before` (Unix ms). The samples also stay in the server records. Rejects if queued writes of the history
 * cannot be written. More copies would then fill the queue, and a full queue drops its oldest writes.
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
