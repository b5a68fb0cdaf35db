// Original file: gsq/v1/notify.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { LeaseDeliveriesRequest as _gsq_v1_LeaseDeliveriesRequest, LeaseDeliveriesRequest__Output as _gsq_v1_LeaseDeliveriesRequest__Output } from '../../gsq/v1/LeaseDeliveriesRequest.ts';
import type { LeaseDeliveriesResponse as _gsq_v1_LeaseDeliveriesResponse, LeaseDeliveriesResponse__Output as _gsq_v1_LeaseDeliveriesResponse__Output } from '../../gsq/v1/LeaseDeliveriesResponse.ts';
import type { ReportDeliveriesRequest as _gsq_v1_ReportDeliveriesRequest, ReportDeliveriesRequest__Output as _gsq_v1_ReportDeliveriesRequest__Output } from '../../gsq/v1/ReportDeliveriesRequest.ts';
import type { ReportDeliveriesResponse as _gsq_v1_ReportDeliveriesResponse, ReportDeliveriesResponse__Output as _gsq_v1_ReportDeliveriesResponse__Output } from '../../gsq/v1/ReportDeliveriesResponse.ts';

/**
 * Service for notifiers. A notifier sends the deliveries of webhooks and keeps no state. Only the internal port serves
 * it.
 */
export interface NotifyServiceClient extends grpc.Client {
  /**
   * Leases deliveries that are due. Waits until at least one is due or `wait_ms` has passed. A delivery whose result is
   * not reported before its lease ends is leased again.
   */
  LeaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  LeaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  LeaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  LeaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Leases deliveries that are due. Waits until at least one is due or `wait_ms` has passed. A delivery whose result is
   * not reported before its lease ends is leased again.
   */
  leaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  leaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  leaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  leaseDeliveries(argument: _gsq_v1_LeaseDeliveriesRequest, callback: grpc.requestCallback<_gsq_v1_LeaseDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Reports the results of leased deliveries. Results of leases that have ended are ignored.
   */
  ReportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ReportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ReportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ReportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Reports the results of leased deliveries. Results of leases that have ended are ignored.
   */
  reportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  reportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  reportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  reportDeliveries(argument: _gsq_v1_ReportDeliveriesRequest, callback: grpc.requestCallback<_gsq_v1_ReportDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Service for notifiers. A notifier sends the deliveries of webhooks and keeps no state. Only the internal port serves
 * it.
 */
export interface NotifyServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Leases deliveries that are due. Waits until at least one is due or `wait_ms` has passed. A delivery whose result is
   * not reported before its lease ends is leased again.
   */
  LeaseDeliveries: grpc.handleUnaryCall<_gsq_v1_LeaseDeliveriesRequest__Output, _gsq_v1_LeaseDeliveriesResponse>;
  
  /**
   * Reports the results of leased deliveries. Results of leases that have ended are ignored.
   */
  ReportDeliveries: grpc.handleUnaryCall<_gsq_v1_ReportDeliveriesRequest__Output, _gsq_v1_ReportDeliveriesResponse>;
  
}

export interface NotifyServiceDefinition extends grpc.ServiceDefinition {
  LeaseDeliveries: MethodDefinition<_gsq_v1_LeaseDeliveriesRequest, _gsq_v1_LeaseDeliveriesResponse, _gsq_v1_LeaseDeliveriesRequest__Output, _gsq_v1_LeaseDeliveriesResponse__Output>
  ReportDeliveries: MethodDefinition<_gsq_v1_ReportDeliveriesRequest, _gsq_v1_ReportDeliveriesResponse, _gsq_v1_ReportDeliveriesRequest__Output, _gsq_v1_ReportDeliveriesResponse__Output>
}
