import { setImmediate as turn } from 'node:timers/promises';
import type { SealedHour } from '../../history/history-store.ts';
import { sealedHour } from '../../history/hour-coding.ts';
import type { ServerTable } from './server-table.ts';

/** Number of server records that `sealOpenHours` checks in one turn of the event loop. This takes about 1 ms. */
const SERVERS_AT_A_TIME = 1_000;

/**
 * Calls `seal` for each server that has samples (results of probes) of an unfinished hour, with a copy of these
 * samples. Leaves out hours that began at or after `before` (Unix ms). Can leave out servers that are inserted or
 * removed during the call.
 */
export async function sealOpenHours(
  table: ServerTable,
  before: number,
  seal: (key: string, sealed: SealedHour) => Promise<void> | undefined,
): Promise<void> {
  let count = 0;
  for (const slot of table.slots()) {
    const { key, openHour } = table.recordInPlace(slot);
    if (openHour.length > 0) {
      // Copies the samples, because the server record can change before the history writes them.
      const sealed = sealedHour(Buffer.from(openHour));
      if (sealed.hour < before) await seal(key, sealed);
    }
    if (++count % SERVERS_AT_A_TIME === 0) await turn();
  }
}
