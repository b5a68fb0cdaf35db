// Original file: gsq/v1/probe.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { SessionRequest as _gsq_v1_SessionRequest, SessionRequest__Output as _gsq_v1_SessionRequest__Output } from '../../gsq/v1/SessionRequest.ts';
import type { SessionResponse as _gsq_v1_SessionResponse, SessionResponse__Output as _gsq_v1_SessionResponse__Output } from '../../gsq/v1/SessionResponse.ts';

/**
 * Spoken between core and probers, on the internal port only.
 */
export interface ProbeServiceClient extends grpc.Client {
  /**
   * The core leases due probes down the stream, the prober reports results up it.
   */
  Session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  Session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  /**
   * The core leases due probes down the stream, the prober reports results up it.
   */
  session(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  session(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse__Output>;
  
}

/**
 * Spoken between core and probers, on the internal port only.
 */
export interface ProbeServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * The core leases due probes down the stream, the prober reports results up it.
   */
  Session: grpc.handleBidiStreamingCall<_gsq_v1_SessionRequest__Output, _gsq_v1_SessionResponse>;
  
}

export interface ProbeServiceDefinition extends grpc.ServiceDefinition {
  Session: MethodDefinition<_gsq_v1_SessionRequest, _gsq_v1_SessionResponse, _gsq_v1_SessionRequest__Output, _gsq_v1_SessionResponse__Output>
}
