// Original file: gsq/v1/server.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { FetchServersRequest as _gsq_v1_FetchServersRequest, FetchServersRequest__Output as _gsq_v1_FetchServersRequest__Output } from '../../gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse as _gsq_v1_FetchServersResponse, FetchServersResponse__Output as _gsq_v1_FetchServersResponse__Output } from '../../gsq/v1/FetchServersResponse.ts';
import type { FetchStreamRequest as _gsq_v1_FetchStreamRequest, FetchStreamRequest__Output as _gsq_v1_FetchStreamRequest__Output } from '../../gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse as _gsq_v1_FetchStreamResponse, FetchStreamResponse__Output as _gsq_v1_FetchStreamResponse__Output } from '../../gsq/v1/FetchStreamResponse.ts';
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from '../../google/api/HttpBody.ts';
import type { WatchServersRequest as _gsq_v1_WatchServersRequest, WatchServersRequest__Output as _gsq_v1_WatchServersRequest__Output } from '../../gsq/v1/WatchServersRequest.ts';
import type { WatchServersResponse as _gsq_v1_WatchServersResponse, WatchServersResponse__Output as _gsq_v1_WatchServersResponse__Output } from '../../gsq/v1/WatchServersResponse.ts';

/**
 * The latest known status of game servers.
 * 
 * Callers send credentials as metadata: `x-api-token`, `x-api-token-type`, `x-api-token-email`. Errors contain a
 * google.rpc.ErrorInfo. Its reason is the same code as in the body of a REST error (AUTH_3, QUOTA_1 ...).
 */
export interface ServerServiceClient extends grpc.Client {
  /**
   * Returns the stored data of every requested server. Starts to track valid servers that are not tracked yet.
   */
  FetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  FetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  FetchServers(argument: _gsq_v1_FetchServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  FetchServers(argument: _gsq_v1_FetchServersRequest, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the stored data of every requested server. Starts to track valid servers that are not tracked yet.
   */
  fetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  fetchServers(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  fetchServers(argument: _gsq_v1_FetchServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  fetchServers(argument: _gsq_v1_FetchServersRequest, callback: grpc.requestCallback<_gsq_v1_FetchServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Does the same as FetchServers, but returns the JSON body of the REST answer. The keys of this JSON are the addresses
   * of the request, so no message with fixed fields can describe the JSON.
   */
  FetchServersJson(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  FetchServersJson(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  FetchServersJson(argument: _gsq_v1_FetchServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  FetchServersJson(argument: _gsq_v1_FetchServersRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Does the same as FetchServers, but returns the JSON body of the REST answer. The keys of this JSON are the addresses
   * of the request, so no message with fixed fields can describe the JSON.
   */
  fetchServersJson(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  fetchServersJson(argument: _gsq_v1_FetchServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  fetchServersJson(argument: _gsq_v1_FetchServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  fetchServersJson(argument: _gsq_v1_FetchServersRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Executes many fetches over one long-lived stream. Each reply is sent as soon as it is ready and has the id of its
   * call. Replies contain the same JSON as REST. A call without credentials uses the credentials in the metadata of the
   * stream.
   */
  FetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  FetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  /**
   * Executes many fetches over one long-lived stream. Each reply is sent as soon as it is ready and has the id of its
   * call. Replies contain the same JSON as REST. A call without credentials uses the credentials in the metadata of the
   * stream.
   */
  fetchStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  fetchStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse__Output>;
  
  /**
   * Sends a snapshot of every requested server. After that, sends each change of status or data. Counts as one fetch.
   */
  WatchServers(argument: _gsq_v1_WatchServersRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  WatchServers(argument: _gsq_v1_WatchServersRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  /**
   * Sends a snapshot of every requested server. After that, sends each change of status or data. Counts as one fetch.
   */
  watchServers(argument: _gsq_v1_WatchServersRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  watchServers(argument: _gsq_v1_WatchServersRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchServersResponse__Output>;
  
}

/**
 * The latest known status of game servers.
 * 
 * Callers send credentials as metadata: `x-api-token`, `x-api-token-type`, `x-api-token-email`. Errors contain a
 * google.rpc.ErrorInfo. Its reason is the same code as in the body of a REST error (AUTH_3, QUOTA_1 ...).
 */
export interface ServerServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Returns the stored data of every requested server. Starts to track valid servers that are not tracked yet.
   */
  FetchServers: grpc.handleUnaryCall<_gsq_v1_FetchServersRequest__Output, _gsq_v1_FetchServersResponse>;
  
  /**
   * Does the same as FetchServers, but returns the JSON body of the REST answer. The keys of this JSON are the addresses
   * of the request, so no message with fixed fields can describe the JSON.
   */
  FetchServersJson: grpc.handleUnaryCall<_gsq_v1_FetchServersRequest__Output, _google_api_HttpBody>;
  
  /**
   * Executes many fetches over one long-lived stream. Each reply is sent as soon as it is ready and has the id of its
   * call. Replies contain the same JSON as REST. A call without credentials uses the credentials in the metadata of the
   * stream.
   */
  FetchStream: grpc.handleBidiStreamingCall<_gsq_v1_FetchStreamRequest__Output, _gsq_v1_FetchStreamResponse>;
  
  /**
   * Sends a snapshot of every requested server. After that, sends each change of status or data. Counts as one fetch.
   */
  WatchServers: grpc.handleServerStreamingCall<_gsq_v1_WatchServersRequest__Output, _gsq_v1_WatchServersResponse>;
  
}

export interface ServerServiceDefinition extends grpc.ServiceDefinition {
  FetchServers: MethodDefinition<_gsq_v1_FetchServersRequest, _gsq_v1_FetchServersResponse, _gsq_v1_FetchServersRequest__Output, _gsq_v1_FetchServersResponse__Output>
  FetchServersJson: MethodDefinition<_gsq_v1_FetchServersRequest, _google_api_HttpBody, _gsq_v1_FetchServersRequest__Output, _google_api_HttpBody__Output>
  FetchStream: MethodDefinition<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse, _gsq_v1_FetchStreamRequest__Output, _gsq_v1_FetchStreamResponse__Output>
  WatchServers: MethodDefinition<_gsq_v1_WatchServersRequest, _gsq_v1_WatchServersResponse, _gsq_v1_WatchServersRequest__Output, _gsq_v1_WatchServersResponse__Output>
}
