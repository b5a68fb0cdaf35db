// Original file: gsq/v1/notify.proto

import type { DeliveryResult as _gsq_v1_DeliveryResult, DeliveryResult__Output as _gsq_v1_DeliveryResult__Output } from '../../gsq/v1/DeliveryResult.ts';

export interface ReportDeliveriesRequest {
  'results'?: (_gsq_v1_DeliveryResult)[];
}

export interface ReportDeliveriesRequest__Output {
  'results': (_gsq_v1_DeliveryResult__Output)[];
}
