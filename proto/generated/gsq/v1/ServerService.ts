// Original file: gsq/v1/server.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { FetchServersRequest as _gsq_v1_FetchServersRequest, FetchServersRequest__Output as _gsq_v1_FetchServersRequest__Output } from '../../gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse as _gsq_v1_FetchServersResponse, FetchServersResponse__Output as _gsq_v1_FetchServersResponse__Output } from '../../gsq/v1/FetchServersResponse.ts';
import type { FetchStreamRequest as _gsq_v1_FetchStreamRequest, FetchStreamRequest__Output as _gsq_v1_FetchStreamRequest__Output } from '../../gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse as _gsq_v1_FetchStreamResponse, FetchStreamResponse__Output as _gsq_v1_FetchStreamResponse__Output } from '../../gsq/v1/FetchStreamResponse.ts';
import type { GetServerRequest as _gsq_v1_GetServerRequest, GetServerRequest__Output as _gsq_v1_GetServerRequest__Output } from '../../gsq/v1/GetServerRequest.ts';
import type { GetServerResponse as _gsq_v1_GetServerResponse, GetServerResponse__Output as _gsq_v1_GetServerResponse__Output } from '../../gsq/v1/GetServerResponse.ts';
import type { GetStatusRequest as _gsq_v1_GetStatusRequest, GetStatusRequest__Output as _gsq_v1_GetStatusRequest__Output } from '../../gsq/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _gsq_v1_GetStatusResponse, GetStatusResponse__Output as _gsq_v1_GetStatusResponse__Output } from '../../gsq/v1/GetStatusResponse.ts';
import type { GetSummaryRequest as _gsq_v1_GetSummaryRequest, GetSummaryRequest__Output as _gsq_v1_GetSummaryRequest__Output } from '../../gsq/v1/GetSummaryRequest.ts';
import type { GetSummaryResponse as _gsq_v1_GetSummaryResponse, GetSummaryResponse__Output as _gsq_v1_GetSummaryResponse__Output } from '../../gsq/v1/GetSummaryResponse.ts';
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from '../../google/api/HttpBody.ts';
import type { ServerServiceListServersRequest as _gsq_v1_ServerServiceListServersRequest, ServerServiceListServersRequest__Output as _gsq_v1_ServerServiceListServersRequest__Output } from '../../gsq/v1/ServerServiceListServersRequest.ts';
import type { ServerServiceListServersResponse as _gsq_v1_ServerServiceListServersResponse, ServerServiceListServersResponse__Output as _gsq_v1_ServerServiceListServersResponse__Output } from '../../gsq/v1/ServerServiceListServersResponse.ts';
import type { WatchServersJsonRequest as _gsq_v1_WatchServersJsonRequest, WatchServersJsonRequest__Output as _gsq_v1_WatchServersJsonRequest__Output } from '../../gsq/v1/WatchServersJsonRequest.ts';
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
   * Returns a tracked server. Does not insert the server: if it is not tracked, fails with NOT_FOUND (SERVER_1).
   */
  GetServer(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  GetServer(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  GetServer(argument: _gsq_v1_GetServerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  GetServer(argument: _gsq_v1_GetServerRequest, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns a tracked server. Does not insert the server: if it is not tracked, fails with NOT_FOUND (SERVER_1).
   */
  getServer(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  getServer(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  getServer(argument: _gsq_v1_GetServerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  getServer(argument: _gsq_v1_GetServerRequest, callback: grpc.requestCallback<_gsq_v1_GetServerResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same server as GetServer, as the JSON of the REST answer.
   */
  GetServerJson(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetServerJson(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetServerJson(argument: _gsq_v1_GetServerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetServerJson(argument: _gsq_v1_GetServerRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same server as GetServer, as the JSON of the REST answer.
   */
  getServerJson(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getServerJson(argument: _gsq_v1_GetServerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getServerJson(argument: _gsq_v1_GetServerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getServerJson(argument: _gsq_v1_GetServerRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Tells how well the service itself works: whether game servers are probed, and how late.
   */
  GetStatus(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _gsq_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _gsq_v1_GetStatusRequest, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Tells how well the service itself works: whether game servers are probed, and how late.
   */
  getStatus(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _gsq_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _gsq_v1_GetStatusRequest, callback: grpc.requestCallback<_gsq_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same as GetStatus, as the JSON of the REST answer.
   */
  GetStatusJson(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetStatusJson(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetStatusJson(argument: _gsq_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetStatusJson(argument: _gsq_v1_GetStatusRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same as GetStatus, as the JSON of the REST answer.
   */
  getStatusJson(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getStatusJson(argument: _gsq_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getStatusJson(argument: _gsq_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getStatusJson(argument: _gsq_v1_GetStatusRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Counts the tracked servers and their players, in total and by game.
   */
  GetSummary(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  GetSummary(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  GetSummary(argument: _gsq_v1_GetSummaryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  GetSummary(argument: _gsq_v1_GetSummaryRequest, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Counts the tracked servers and their players, in total and by game.
   */
  getSummary(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  getSummary(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  getSummary(argument: _gsq_v1_GetSummaryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  getSummary(argument: _gsq_v1_GetSummaryRequest, callback: grpc.requestCallback<_gsq_v1_GetSummaryResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same counts as GetSummary, as the JSON of the REST answer.
   */
  GetSummaryJson(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetSummaryJson(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetSummaryJson(argument: _gsq_v1_GetSummaryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetSummaryJson(argument: _gsq_v1_GetSummaryRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same counts as GetSummary, as the JSON of the REST answer.
   */
  getSummaryJson(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getSummaryJson(argument: _gsq_v1_GetSummaryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getSummaryJson(argument: _gsq_v1_GetSummaryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getSummaryJson(argument: _gsq_v1_GetSummaryRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Searches the tracked servers, and returns one page of the servers that match.
   */
  ListServers(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ServerServiceListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ServerServiceListServersRequest, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Searches the tracked servers, and returns one page of the servers that match.
   */
  listServers(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  listServers(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  listServers(argument: _gsq_v1_ServerServiceListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  listServers(argument: _gsq_v1_ServerServiceListServersRequest, callback: grpc.requestCallback<_gsq_v1_ServerServiceListServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same page as ListServers, as the JSON of the REST answer.
   */
  ListServersJson(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListServersJson(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListServersJson(argument: _gsq_v1_ServerServiceListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListServersJson(argument: _gsq_v1_ServerServiceListServersRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same page as ListServers, as the JSON of the REST answer.
   */
  listServersJson(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listServersJson(argument: _gsq_v1_ServerServiceListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listServersJson(argument: _gsq_v1_ServerServiceListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listServersJson(argument: _gsq_v1_ServerServiceListServersRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
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
  
  /**
   * Sends the same events as WatchServers with `only_changes`, but as lines of JSON. Each message contains one line:
   * {"event": "snapshot", "change" or "heartbeat", "id": "...", "data": ...}. The method inserts no server.
   * 
   * The data of a snapshot is {"servers": [...], "more": ...}. While `more` is true, another line continues the snapshot,
   * and `id` is empty. Changes with an empty `id` can come between these lines. The data of a change is one server. Each
   * server has `game_id`, `server` and the keys of its payload. A server that is not tracked has only `game_id`, `server`
   * and `"tracked": false`. The data of a heartbeat is {}.
   */
  WatchServersJson(argument: _gsq_v1_WatchServersJsonRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_google_api_HttpBody__Output>;
  WatchServersJson(argument: _gsq_v1_WatchServersJsonRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_google_api_HttpBody__Output>;
  /**
   * Sends the same events as WatchServers with `only_changes`, but as lines of JSON. Each message contains one line:
   * {"event": "snapshot", "change" or "heartbeat", "id": "...", "data": ...}. The method inserts no server.
   * 
   * The data of a snapshot is {"servers": [...], "more": ...}. While `more` is true, another line continues the snapshot,
   * and `id` is empty. Changes with an empty `id` can come between these lines. The data of a change is one server. Each
   * server has `game_id`, `server` and the keys of its payload. A server that is not tracked has only `game_id`, `server`
   * and `"tracked": false`. The data of a heartbeat is {}.
   */
  watchServersJson(argument: _gsq_v1_WatchServersJsonRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_google_api_HttpBody__Output>;
  watchServersJson(argument: _gsq_v1_WatchServersJsonRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_google_api_HttpBody__Output>;
  
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
   * Returns a tracked server. Does not insert the server: if it is not tracked, fails with NOT_FOUND (SERVER_1).
   */
  GetServer: grpc.handleUnaryCall<_gsq_v1_GetServerRequest__Output, _gsq_v1_GetServerResponse>;
  
  /**
   * Returns the same server as GetServer, as the JSON of the REST answer.
   */
  GetServerJson: grpc.handleUnaryCall<_gsq_v1_GetServerRequest__Output, _google_api_HttpBody>;
  
  /**
   * Tells how well the service itself works: whether game servers are probed, and how late.
   */
  GetStatus: grpc.handleUnaryCall<_gsq_v1_GetStatusRequest__Output, _gsq_v1_GetStatusResponse>;
  
  /**
   * Returns the same as GetStatus, as the JSON of the REST answer.
   */
  GetStatusJson: grpc.handleUnaryCall<_gsq_v1_GetStatusRequest__Output, _google_api_HttpBody>;
  
  /**
   * Counts the tracked servers and their players, in total and by game.
   */
  GetSummary: grpc.handleUnaryCall<_gsq_v1_GetSummaryRequest__Output, _gsq_v1_GetSummaryResponse>;
  
  /**
   * Returns the same counts as GetSummary, as the JSON of the REST answer.
   */
  GetSummaryJson: grpc.handleUnaryCall<_gsq_v1_GetSummaryRequest__Output, _google_api_HttpBody>;
  
  /**
   * Searches the tracked servers, and returns one page of the servers that match.
   */
  ListServers: grpc.handleUnaryCall<_gsq_v1_ServerServiceListServersRequest__Output, _gsq_v1_ServerServiceListServersResponse>;
  
  /**
   * Returns the same page as ListServers, as the JSON of the REST answer.
   */
  ListServersJson: grpc.handleUnaryCall<_gsq_v1_ServerServiceListServersRequest__Output, _google_api_HttpBody>;
  
  /**
   * Sends a snapshot of every requested server. After that, sends each change of status or data. Counts as one fetch.
   */
  WatchServers: grpc.handleServerStreamingCall<_gsq_v1_WatchServersRequest__Output, _gsq_v1_WatchServersResponse>;
  
  /**
   * Sends the same events as WatchServers with `only_changes`, but as lines of JSON. Each message contains one line:
   * {"event": "snapshot", "change" or "heartbeat", "id": "...", "data": ...}. The method inserts no server.
   * 
   * The data of a snapshot is {"servers": [...], "more": ...}. While `more` is true, another line continues the snapshot,
   * and `id` is empty. Changes with an empty `id` can come between these lines. The data of a change is one server. Each
   * server has `game_id`, `server` and the keys of its payload. A server that is not tracked has only `game_id`, `server`
   * and `"tracked": false`. The data of a heartbeat is {}.
   */
  WatchServersJson: grpc.handleServerStreamingCall<_gsq_v1_WatchServersJsonRequest__Output, _google_api_HttpBody>;
  
}

export interface ServerServiceDefinition extends grpc.ServiceDefinition {
  FetchServers: MethodDefinition<_gsq_v1_FetchServersRequest, _gsq_v1_FetchServersResponse, _gsq_v1_FetchServersRequest__Output, _gsq_v1_FetchServersResponse__Output>
  FetchServersJson: MethodDefinition<_gsq_v1_FetchServersRequest, _google_api_HttpBody, _gsq_v1_FetchServersRequest__Output, _google_api_HttpBody__Output>
  FetchStream: MethodDefinition<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamResponse, _gsq_v1_FetchStreamRequest__Output, _gsq_v1_FetchStreamResponse__Output>
  GetServer: MethodDefinition<_gsq_v1_GetServerRequest, _gsq_v1_GetServerResponse, _gsq_v1_GetServerRequest__Output, _gsq_v1_GetServerResponse__Output>
  GetServerJson: MethodDefinition<_gsq_v1_GetServerRequest, _google_api_HttpBody, _gsq_v1_GetServerRequest__Output, _google_api_HttpBody__Output>
  GetStatus: MethodDefinition<_gsq_v1_GetStatusRequest, _gsq_v1_GetStatusResponse, _gsq_v1_GetStatusRequest__Output, _gsq_v1_GetStatusResponse__Output>
  GetStatusJson: MethodDefinition<_gsq_v1_GetStatusRequest, _google_api_HttpBody, _gsq_v1_GetStatusRequest__Output, _google_api_HttpBody__Output>
  GetSummary: MethodDefinition<_gsq_v1_GetSummaryRequest, _gsq_v1_GetSummaryResponse, _gsq_v1_GetSummaryRequest__Output, _gsq_v1_GetSummaryResponse__Output>
  GetSummaryJson: MethodDefinition<_gsq_v1_GetSummaryRequest, _google_api_HttpBody, _gsq_v1_GetSummaryRequest__Output, _google_api_HttpBody__Output>
  ListServers: MethodDefinition<_gsq_v1_ServerServiceListServersRequest, _gsq_v1_ServerServiceListServersResponse, _gsq_v1_ServerServiceListServersRequest__Output, _gsq_v1_ServerServiceListServersResponse__Output>
  ListServersJson: MethodDefinition<_gsq_v1_ServerServiceListServersRequest, _google_api_HttpBody, _gsq_v1_ServerServiceListServersRequest__Output, _google_api_HttpBody__Output>
  WatchServers: MethodDefinition<_gsq_v1_WatchServersRequest, _gsq_v1_WatchServersResponse, _gsq_v1_WatchServersRequest__Output, _gsq_v1_WatchServersResponse__Output>
  WatchServersJson: MethodDefinition<_gsq_v1_WatchServersJsonRequest, _google_api_HttpBody, _gsq_v1_WatchServersJsonRequest__Output, _google_api_HttpBody__Output>
}
