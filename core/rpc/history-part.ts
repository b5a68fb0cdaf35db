import type { ClusterServiceHandlers } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { HistoryRead__Output } from '../../proto/generated/gsq/v1/HistoryRead.ts';
import type { ReadHistoryPartRequest__Output } from '../../proto/generated/gsq/v1/ReadHistoryPartRequest.ts';
import type { ReadHistoryPartResponse } from '../../proto/generated/gsq/v1/ReadHistoryPartResponse.ts';
import type { ServerHistoryPart } from '../../proto/generated/gsq/v1/ServerHistoryPart.ts';
import { NoHistory } from '../history/no-history.ts';
import type { OwnHistory } from '../merge/cluster-history.ts';
import { eventMessage, figuresMessage } from '../merge/history-messages.ts';
import type { Handlers } from './handler.ts';

/** Dependencies of `historyPart`. */
export interface HistoryPartDependencies {
  /** History on the disk of this core. */
  history: OwnHistory;
}

/** Creates the method of ClusterService that reads the history on the disk of this core for another core. */
export function historyPart({ history }: HistoryPartDependencies, handlers: Handlers) {
  const read = async ({
    key,
    part,
    fromMs,
    toMs,
    limit,
  }: HistoryRead__Output): Promise<ServerHistoryPart> => {
    switch (part) {
      case 'HISTORY_PART_HOURS': {
        const hours = await history.hours(key, fromMs, toMs);
        return { hours: hours.map(({ hour, samples }) => ({ hourMs: hour, samples })) };
      }
      case 'HISTORY_PART_QUARTERS':
        return { figures: (await history.quarters(key, fromMs, toMs)).map(figuresMessage) };
      case 'HISTORY_PART_DAYS':
        return { figures: (await history.days(key, fromMs, toMs)).map(figuresMessage) };
      case 'HISTORY_PART_INCIDENTS':
        return { incidents: (await history.incidentEvents(key, toMs, limit)).map(eventMessage) };
      default:
        return { unreadable: true };
    }
  };

  const readOrTell = (request: HistoryRead__Output): Promise<ServerHistoryPart> =>
    read(request).catch((error: unknown) => {
      if (error instanceof NoHistory) return { unreadable: true };
      throw error;
    });

  return {
    ReadHistoryPart: handlers.unary<ReadHistoryPartRequest__Output, ReadHistoryPartResponse>(
      async ({ request }) => ({
        results: await Promise.all(request.reads.map(readOrTell)),
        oldestHoursMs: known(history.oldest('hours')),
        oldestQuartersMs: known(history.oldest('quarters')),
      }),
    ),
  } satisfies Partial<ClusterServiceHandlers>;
}

/** Returns a time for the answer: 0 instead of infinity. */
function known(at: number): number {
  return Number.isFinite(at) ? at : 0;
}
