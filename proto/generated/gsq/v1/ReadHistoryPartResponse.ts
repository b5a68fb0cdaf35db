// Original file: gsq/v1/cluster.proto

import type { ServerHistoryPart as _gsq_v1_ServerHistoryPart, ServerHistoryPart__Output as _gsq_v1_ServerHistoryPart__Output } from '../../gsq/v1/ServerHistoryPart.ts';
import type { Long } from '@grpc/proto-loader';

export interface ReadHistoryPartResponse {
  /**
   * One result for each read, in the same order.
   */
  'results'?: (_gsq_v1_ServerHistoryPart)[];
  /**
   * Times before which the called core has no samples and no figures of quarter hours, in milliseconds since the Unix
   * epoch; 0 if it has none at all.
   */
  'oldestHoursMs'?: (number | string | Long);
  'oldestQuartersMs'?: (number | string | Long);
}

export interface ReadHistoryPartResponse__Output {
  /**
   * One result for each read, in the same order.
   */
  'results': (_gsq_v1_ServerHistoryPart__Output)[];
  /**
   * Times before which the called core has no samples and no figures of quarter hours, in milliseconds since the Unix
   * epoch; 0 if it has none at all.
   */
  'oldestHoursMs': (number);
  'oldestQuartersMs': (number);
}
