// Original file: gsq/v1/cluster.proto

import type { GetStatsResponse as _gsq_v1_GetStatsResponse, GetStatsResponse__Output as _gsq_v1_GetStatsResponse__Output } from '../../gsq/v1/GetStatsResponse.ts';
import type { GetStatusResponse as _gsq_v1_GetStatusResponse, GetStatusResponse__Output as _gsq_v1_GetStatusResponse__Output } from '../../gsq/v1/GetStatusResponse.ts';

export interface GetPartStatsResponse {
  /**
   * The numbers of the called core, with all its games.
   */
  'stats'?: (_gsq_v1_GetStatsResponse | null);
  'status'?: (_gsq_v1_GetStatusResponse | null);
}

export interface GetPartStatsResponse__Output {
  /**
   * The numbers of the called core, with all its games.
   */
  'stats': (_gsq_v1_GetStatsResponse__Output | null);
  'status': (_gsq_v1_GetStatusResponse__Output | null);
}
