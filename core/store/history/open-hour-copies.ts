import type { HistoryStore, SealedHour } from '../../history/history-store.ts';

/**
 * If this number of writes is queued, no further copies of open hours (hours that are not complete yet) are queued
 * until the queue is written. After an outage of the probers there is one copy for each server, and a full queue would
 * drop its oldest writes.
 */
const MOST_COPIES = 20_000;

/**
 * Calls `seal` for each server whose open hour (the hour that is not complete yet) begins before the given time (Unix
 * ms), and awaits each call.
 */
export type SealOpenHours = (
  before: number,
  seal: (key: string, sealed: SealedHour) => Promise<void> | undefined,
) => Promise<void>;

/** Dependencies of `copyOpenHours`. */
export interface OpenHourCopiesDependencies {
  sealOpenHours: SealOpenHours;
  sealHour: HistoryStore['sealHour'];
  /** Returns the number of queued writes of the history. */
  queued: () => number;
  flush: () => Promise<void>;
}

/**
 * Copies open hours (hours that are not complete yet) from the server records to the history. Copies only hours that
 * begin before the given time (Unix ms). The hours in the server records stay open. Rejects if writes fail, because the
 * copies would otherwise fill the queue of writes, and a full queue drops its oldest writes.
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
