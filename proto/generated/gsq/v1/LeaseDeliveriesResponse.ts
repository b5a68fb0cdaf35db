// Original file: gsq/v1/notify.proto

import type { Delivery as _gsq_v1_Delivery, Delivery__Output as _gsq_v1_Delivery__Output } from '../../gsq/v1/Delivery.ts';

export interface LeaseDeliveriesResponse {
  'deliveries'?: (_gsq_v1_Delivery)[];
  /**
   * The core's settings GSQ_ALLOW_TARGETS and GSQ_DENY_TARGETS, by which the notifier must check each target.
   */
  'allowTargets'?: (string)[];
  'denyTargets'?: (string)[];
}

export interface LeaseDeliveriesResponse__Output {
  'deliveries': (_gsq_v1_Delivery__Output)[];
  /**
   * The core's settings GSQ_ALLOW_TARGETS and GSQ_DENY_TARGETS, by which the notifier must check each target.
   */
  'allowTargets': (string)[];
  'denyTargets': (string)[];
}
