// Original file: gsq/v1/history.proto

import type { Uptime as _gsq_v1_Uptime, Uptime__Output as _gsq_v1_Uptime__Output } from '../../gsq/v1/Uptime.ts';

export interface GetUptimeResponse {
  'gameId'?: (string);
  'server'?: (string);
  /**
   * The uptime in each window (span of time until now), in the order of the windows in the request.
   */
  'windows'?: (_gsq_v1_Uptime)[];
}

export interface GetUptimeResponse__Output {
  'gameId': (string);
  'server': (string);
  /**
   * The uptime in each window (span of time until now), in the order of the windows in the request.
   */
  'windows': (_gsq_v1_Uptime__Output)[];
}
