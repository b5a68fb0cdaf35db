// Original file: gsq/v1/notify.proto

import type { Delivery as _gsq_v1_Delivery, Delivery__Output as _gsq_v1_Delivery__Output } from '../../gsq/v1/Delivery.ts';

export interface LeaseDeliveriesResponse {
  'deliveries'?: (_gsq_v1_Delivery)[];
  /**
   * The values of GSQ_ALLOW_TARGETS and GSQ_DENY_TARGETS of the core.
   */
  'allowTargets'?: (string)[];
  'denyTargets'?: (string)[];
}

export interface LeaseDeliveriesResponse__Output {
  'deliveries': (_gsq_v1_Delivery__Output)[];
  /**
   * The values of GSQ_ALLOW_TARGETS and GSQ_DENY_TARGETS of the core.
   */
  'allowTargets': (string)[];
  'denyTargets': (string)[];
}
