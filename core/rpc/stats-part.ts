import type { ClusterServiceHandlers } from '../../proto/generated/gsq/v1/ClusterService.ts';
import type { GetPartStatsRequest__Output } from '../../proto/generated/gsq/v1/GetPartStatsRequest.ts';
import type { GetPartStatsResponse } from '../../proto/generated/gsq/v1/GetPartStatsResponse.ts';
import type { GetStatsResponse } from '../../proto/generated/gsq/v1/GetStatsResponse.ts';
import type { Handlers } from './handler.ts';
import type { ServiceStatus } from './service-status.ts';

/** Functions with which `statsPart` reads the health and the statistics of this core. */
export interface StatsPartDependencies {
  /** Reads the statistics of this core, with all its games. */
  stats: { readWhole(): Promise<GetStatsResponse> };
  /**
   * Returns the health of this core: its probers, the lag of its schedule, whether a prober's network is down, and its
   * store.
   */
  status: () => ServiceStatus;
}

/** Creates the method of ClusterService that returns the health and the statistics of this core to another core. */
export function statsPart({ stats, status }: StatsPartDependencies, handlers: Handlers) {
  return {
    GetPartStats: handlers.unary<GetPartStatsRequest__Output, GetPartStatsResponse>(async ({ request }) => ({
      status: status(),
      stats: request.statusOnly ? null : await stats.readWhole(),
    })),
  } satisfies Partial<ClusterServiceHandlers>;
}
