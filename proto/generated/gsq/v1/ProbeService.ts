// Original file: gsq/v1/probe.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { SessionRequest as _gsq_v1_SessionRequest, SessionRequest__Output as _gsq_v1_SessionRequest__Output } from '../../gsq/v1/SessionRequest.ts';
import type { SessionResponse as _gsq_v1_SessionResponse, SessionResponse__Output as _gsq_v1_SessionResponse__Output } from '../../gsq/v1/SessionResponse.ts';

/**
 * Service of the core for probers. Only the internal port serves it.
 */
export interface ProbeServiceClient extends grpc.Client {
  /**
   * A session of one prober. The core sends leases of due servers to the prober. The prober sends reports to the core.
   */
  Session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  Session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  /**
   * A session of one prober. The core sends leases of due servers to the prober. The prober sends reports to the core.
   */
  session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  
}

/**
 * Service of the core for probers. Only the internal port serves it.
 */
export interface ProbeServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * A session of one prober. The core sends leases of due servers to the prober. The prober sends reports to the core.
   */
  Session: grpc.handleBidiStreamingCall<_gsq_v1_SessionRequest__Output, _gsq_v1_SessionResponse>;
  
}

export interface ProbeServiceDefinition extends grpc.ServiceDefinition {
  Session: MethodDefinition<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse, _gsq_v1_SessionRequest__Output, _gsq_v1_SessionResponse__Output>
}
