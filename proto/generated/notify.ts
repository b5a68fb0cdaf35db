import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { Delivery as _gsq_v1_Delivery, Delivery__Output as _gsq_v1_Delivery__Output } from './gsq/v1/Delivery.ts';
import type { DeliveryResult as _gsq_v1_DeliveryResult, DeliveryResult__Output as _gsq_v1_DeliveryResult__Output } from './gsq/v1/DeliveryResult.ts';
import type { LeaseDeliveriesRequest as _gsq_v1_LeaseDeliveriesRequest, LeaseDeliveriesRequest__Output as _gsq_v1_LeaseDeliveriesRequest__Output } from './gsq/v1/LeaseDeliveriesRequest.ts';
import type { LeaseDeliveriesResponse as _gsq_v1_LeaseDeliveriesResponse, LeaseDeliveriesResponse__Output as _gsq_v1_LeaseDeliveriesResponse__Output } from './gsq/v1/LeaseDeliveriesResponse.ts';
import type { NotifyServiceClient as _gsq_v1_NotifyServiceClient, NotifyServiceDefinition as _gsq_v1_NotifyServiceDefinition } from './gsq/v1/NotifyService.ts';
import type { ReportDeliveriesRequest as _gsq_v1_ReportDeliveriesRequest, ReportDeliveriesRequest__Output as _gsq_v1_ReportDeliveriesRequest__Output } from './gsq/v1/ReportDeliveriesRequest.ts';
import type { ReportDeliveriesResponse as _gsq_v1_ReportDeliveriesResponse, ReportDeliveriesResponse__Output as _gsq_v1_ReportDeliveriesResponse__Output } from './gsq/v1/ReportDeliveriesResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  gsq: {
    v1: {
      Delivery: MessageTypeDefinition<_gsq_v1_Delivery, _gsq_v1_Delivery__Output>
      DeliveryResult: MessageTypeDefinition<_gsq_v1_DeliveryResult, _gsq_v1_DeliveryResult__Output>
      LeaseDeliveriesRequest: MessageTypeDefinition<_gsq_v1_LeaseDeliveriesRequest, _gsq_v1_LeaseDeliveriesRequest__Output>
      LeaseDeliveriesResponse: MessageTypeDefinition<_gsq_v1_LeaseDeliveriesResponse, _gsq_v1_LeaseDeliveriesResponse__Output>
      /**
       * Service for notifiers. A notifier sends the deliveries of webhooks and keeps no state. Only the internal port serves
       * it.
       */
      NotifyService: SubtypeConstructor<typeof grpc.Client, _gsq_v1_NotifyServiceClient> & { service: _gsq_v1_NotifyServiceDefinition }
      ReportDeliveriesRequest: MessageTypeDefinition<_gsq_v1_ReportDeliveriesRequest, _gsq_v1_ReportDeliveriesRequest__Output>
      ReportDeliveriesResponse: MessageTypeDefinition<_gsq_v1_ReportDeliveriesResponse, _gsq_v1_ReportDeliveriesResponse__Output>
    }
  }
}

