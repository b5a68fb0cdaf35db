// Original file: gsq/v1/webhook.proto

import type { DeliveryAttempt as _gsq_v1_DeliveryAttempt, DeliveryAttempt__Output as _gsq_v1_DeliveryAttempt__Output } from '../../gsq/v1/DeliveryAttempt.ts';

export interface ListDeliveriesResponse {
  'attempts'?: (_gsq_v1_DeliveryAttempt)[];
}

export interface ListDeliveriesResponse__Output {
  'attempts': (_gsq_v1_DeliveryAttempt__Output)[];
}
