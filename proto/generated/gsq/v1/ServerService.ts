// Original file: gsq/v1/server.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { FetchServersRequest as _gsq_v1_FetchServersRequest, FetchServersRequest__Output as _gsq_v1_FetchServersRequest__Output } from '../../gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse as _gsq_v1_FetchServersResponse, FetchServersResponse__Output as _gsq_v1_FetchServersResponse__Output } from '../../gsq/v1/FetchServersResponse.ts';
import type { FetchStreamRequest as _gsq_v1_FetchStreamRequest, FetchStreamRequest__Output as _gsq_v1_FetchStreamRequest__Output } from '../../gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse as _gsq_v1_FetchStreamResponse, FetchStreamResponse__Output as _gsq_v1_FetchStreamResponse__Output } from '../../gsq/v1/FetchStreamResponse.ts';
import type { WatchServersRequest as _gsq_v1_WatchServersRequest, WatchServersRequest__Output as _gsq_v1_WatchServersRequest__Output } from '../../gsq/v1/WatchServersRequest.ts';
import type { WatchServersResponse as _gsq_v1_WatchServersResponse, WatchServersResponse__Output as _gsq_v1_WatchServersResponse__Output } from '../../gsq/v1/WatchServersResponse.ts';

/**
 * The latest known status of game servers.
 * 
 * Credentials travel as metadata: `x-api-token`, `x-api-token-type`, `x-api-token-email`.
 * Errors carry a google.rpc.ErrorInfo whose reason is the code the REST error body shows (AUTH_3, QUOTA_1 ...).
 */
export interface ServerServiceClient extends grpc.Client {
  /**
   * Returns what is stored about every named server and starts tracking the valid ones not known yet.
   */
  FetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  FetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  FetchServers(argument: _gsq_v1_FetchServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  FetchServers(argument: _gsq_v1_FetchServersRequest, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns what is stored about every named server and starts tracking the valid ones not known yet.
   */
  fetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  fetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  fetchServers(argument: _gsq_v1_FetchServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  fetchServers(argument: _gsq_v1_FetchServersRequest, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Many fetches over one long-lived stream, answered as they are ready and correlated by id.
   * Answers come as the JSON a REST caller would see. A call without credentials uses those of the stream's metadata.
   */
  FetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  FetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  /**
   * Many fetches over one long-lived stream, answered as they are ready and correlated by id.
   * Answers come as the JSON a REST caller would see. A call without credentials uses those of the stream's metadata.
   */
  fetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  fetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  
  /**
   * Sends a snapshot of every named server, then each change of status or data. Counts as one fetch.
   */
  WatchServers(argument: _gsq_v1_WatchServersRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  WatchServers(argument: _gsq_v1_WatchServersRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  /**
   * Sends a snapshot of every named server, then each change of status or data. Counts as one fetch.
   */
  watchServers(argument: _gsq_v1_WatchServersRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  watchServers(argument: _gsq_v1_WatchServersRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  
}

/**
 * The latest known status of game servers.
 * 
 * Credentials travel as metadata: `x-api-token`, `x-api-token-type`, `x-api-token-email`.
 * Errors carry a google.rpc.ErrorInfo whose reason is the code the REST error body shows (AUTH_3, QUOTA_1 ...).
 */
export interface ServerServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Returns what is stored about every named server and starts tracking the valid ones not known yet.
   */
  FetchServers: grpc.handleUnaryCall<_gsq_v1_FetchServersRequest__Output, _gsq_v1_FetchServersResponse>;
  
  /**
   * Many fetches over one long-lived stream, answered as they are ready and correlated by id.
   * Answers come as the JSON a REST caller would see. A call without credentials uses those of the stream's metadata.
   */
  FetchStream: grpc.handleBidiStreamingCall<_gsq_v1_FetchStreamRequest__Output, _gsq_v1_FetchStreamResponse>;
  
  /**
   * Sends a snapshot of every named server, then each change of status or data. Counts as one fetch.
   */
  WatchServers: grpc.handleServerStreamingCall<_gsq_v1_WatchServersRequest__Output, _gsq_v1_WatchServersResponse>;
  
}

export interface ServerServiceDefinition extends grpc.ServiceDefinition {
  FetchServers: MethodDefinition<_gsq_v1_FetchServersRequest, _gsq_v1_FetchServersResponse, _gsq_v1_FetchServersRequest__Output, _gsq_v1_FetchServersResponse__Output>
  FetchStream: MethodDefinition<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse, _gsq_v1_FetchStreamRequest__Output, _gsq_v1_FetchStreamResponse__Output>
  WatchServers: MethodDefinition<_gsq_v1_WatchServersRequest, _gsq_v1_WatchServersResponse, _gsq_v1_WatchServersRequest__Output, _gsq_v1_WatchServersResponse__Output>
}
