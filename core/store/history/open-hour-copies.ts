import type { HistoryStore, SealedHour } from '../../history/history-store.ts';

/**
 * Number of queued writes at which no further copies of open hours are queued. After an outage of the probers, there are
 * as many copies as servers, and a full queue drops the oldest writes.
 */
const MOST_COPIES = 20_000;

/** Calls `seal` for each server whose open hour begins before a time (Unix ms), and waits for it. */
export type SealOpenHours = (
  before: number,
  seal: (key: string, sealed: SealedHour) => Promise<void> | undefined,
) => Promise<void>;

/** Dependencies of `copyOpenHours`. */
export interface OpenHourCopiesDependencies {
  sealOpenHours: SealOpenHours;
  sealHour: HistoryStore['sealHour'];
  /** Number of writes that are queued. */
  queued: () => number;
  flush: () => Promise<void>;
}

/**
 * Stores a copy of all open hours that begin before a time, Unix ms. They stay open. Rejects if writes fail, because a
 * full queue drops sealed hours.
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
