// Original file: gsq/v1/history.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetHistoryRequest as _gsq_v1_GetHistoryRequest, GetHistoryRequest__Output as _gsq_v1_GetHistoryRequest__Output } from '../../gsq/v1/GetHistoryRequest.ts';
import type { GetHistoryResponse as _gsq_v1_GetHistoryResponse, GetHistoryResponse__Output as _gsq_v1_GetHistoryResponse__Output } from '../../gsq/v1/GetHistoryResponse.ts';
import type { GetTrendsRequest as _gsq_v1_GetTrendsRequest, GetTrendsRequest__Output as _gsq_v1_GetTrendsRequest__Output } from '../../gsq/v1/GetTrendsRequest.ts';
import type { GetTrendsResponse as _gsq_v1_GetTrendsResponse, GetTrendsResponse__Output as _gsq_v1_GetTrendsResponse__Output } from '../../gsq/v1/GetTrendsResponse.ts';
import type { GetUptimeRequest as _gsq_v1_GetUptimeRequest, GetUptimeRequest__Output as _gsq_v1_GetUptimeRequest__Output } from '../../gsq/v1/GetUptimeRequest.ts';
import type { GetUptimeResponse as _gsq_v1_GetUptimeResponse, GetUptimeResponse__Output as _gsq_v1_GetUptimeResponse__Output } from '../../gsq/v1/GetUptimeResponse.ts';
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from '../../google/api/HttpBody.ts';
import type { ListIncidentsRequest as _gsq_v1_ListIncidentsRequest, ListIncidentsRequest__Output as _gsq_v1_ListIncidentsRequest__Output } from '../../gsq/v1/ListIncidentsRequest.ts';
import type { ListIncidentsResponse as _gsq_v1_ListIncidentsResponse, ListIncidentsResponse__Output as _gsq_v1_ListIncidentsResponse__Output } from '../../gsq/v1/ListIncidentsResponse.ts';

/**
 * Methods that show the past of a tracked server. Every method fails with NOT_FOUND (SERVER_1) if the server is not
 * tracked.
 * 
 * A time for which gsq has no data is unknown, for example a time in which no prober was running. Unknown time counts
 * neither as online nor as offline.
 */
export interface HistoryServiceClient extends grpc.Client {
  /**
   * Returns the players and the status of a server over time.
   */
  GetHistory(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  GetHistory(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  GetHistory(argument: _gsq_v1_GetHistoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  GetHistory(argument: _gsq_v1_GetHistoryRequest, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the players and the status of a server over time.
   */
  getHistory(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  getHistory(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  getHistory(argument: _gsq_v1_GetHistoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  getHistory(argument: _gsq_v1_GetHistoryRequest, callback: grpc.requestCallback<_gsq_v1_GetHistoryResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same history as GetHistory, as the JSON of the REST answer.
   */
  GetHistoryJson(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetHistoryJson(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetHistoryJson(argument: _gsq_v1_GetHistoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetHistoryJson(argument: _gsq_v1_GetHistoryRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same history as GetHistory, as the JSON of the REST answer.
   */
  getHistoryJson(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getHistoryJson(argument: _gsq_v1_GetHistoryRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getHistoryJson(argument: _gsq_v1_GetHistoryRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getHistoryJson(argument: _gsq_v1_GetHistoryRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the players of several servers in the last 24 hours. Leaves out servers that are not tracked.
   */
  GetTrends(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  GetTrends(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  GetTrends(argument: _gsq_v1_GetTrendsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  GetTrends(argument: _gsq_v1_GetTrendsRequest, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the players of several servers in the last 24 hours. Leaves out servers that are not tracked.
   */
  getTrends(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  getTrends(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  getTrends(argument: _gsq_v1_GetTrendsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  getTrends(argument: _gsq_v1_GetTrendsRequest, callback: grpc.requestCallback<_gsq_v1_GetTrendsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same trends as GetTrends, as the JSON of the REST answer.
   */
  GetTrendsJson(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetTrendsJson(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetTrendsJson(argument: _gsq_v1_GetTrendsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetTrendsJson(argument: _gsq_v1_GetTrendsRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same trends as GetTrends, as the JSON of the REST answer.
   */
  getTrendsJson(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getTrendsJson(argument: _gsq_v1_GetTrendsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getTrendsJson(argument: _gsq_v1_GetTrendsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getTrendsJson(argument: _gsq_v1_GetTrendsRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns for which share of the time a server was online.
   */
  GetUptime(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  GetUptime(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  GetUptime(argument: _gsq_v1_GetUptimeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  GetUptime(argument: _gsq_v1_GetUptimeRequest, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns for which share of the time a server was online.
   */
  getUptime(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  getUptime(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  getUptime(argument: _gsq_v1_GetUptimeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  getUptime(argument: _gsq_v1_GetUptimeRequest, callback: grpc.requestCallback<_gsq_v1_GetUptimeResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same shares as GetUptime, as the JSON of the REST answer.
   */
  GetUptimeJson(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetUptimeJson(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetUptimeJson(argument: _gsq_v1_GetUptimeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetUptimeJson(argument: _gsq_v1_GetUptimeRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same shares as GetUptime, as the JSON of the REST answer.
   */
  getUptimeJson(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getUptimeJson(argument: _gsq_v1_GetUptimeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getUptimeJson(argument: _gsq_v1_GetUptimeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getUptimeJson(argument: _gsq_v1_GetUptimeRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Lists the times in which a server was offline, the newest first.
   */
  ListIncidents(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  ListIncidents(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  ListIncidents(argument: _gsq_v1_ListIncidentsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  ListIncidents(argument: _gsq_v1_ListIncidentsRequest, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Lists the times in which a server was offline, the newest first.
   */
  listIncidents(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  listIncidents(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  listIncidents(argument: _gsq_v1_ListIncidentsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  listIncidents(argument: _gsq_v1_ListIncidentsRequest, callback: grpc.requestCallback<_gsq_v1_ListIncidentsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same page as ListIncidents, as the JSON of the REST answer.
   */
  ListIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same page as ListIncidents, as the JSON of the REST answer.
   */
  listIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listIncidentsJson(argument: _gsq_v1_ListIncidentsRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Methods that show the past of a tracked server. Every method fails with NOT_FOUND (SERVER_1) if the server is not
 * tracked.
 * 
 * A time for which gsq has no data is unknown, for example a time in which no prober was running. Unknown time counts
 * neither as online nor as offline.
 */
export interface HistoryServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Returns the players and the status of a server over time.
   */
  GetHistory: grpc.handleUnaryCall<_gsq_v1_GetHistoryRequest__Output, _gsq_v1_GetHistoryResponse>;
  
  /**
   * Returns the same history as GetHistory, as the JSON of the REST answer.
   */
  GetHistoryJson: grpc.handleUnaryCall<_gsq_v1_GetHistoryRequest__Output, _google_api_HttpBody>;
  
  /**
   * Returns the players of several servers in the last 24 hours. Leaves out servers that are not tracked.
   */
  GetTrends: grpc.handleUnaryCall<_gsq_v1_GetTrendsRequest__Output, _gsq_v1_GetTrendsResponse>;
  
  /**
   * Returns the same trends as GetTrends, as the JSON of the REST answer.
   */
  GetTrendsJson: grpc.handleUnaryCall<_gsq_v1_GetTrendsRequest__Output, _google_api_HttpBody>;
  
  /**
   * Returns for which share of the time a server was online.
   */
  GetUptime: grpc.handleUnaryCall<_gsq_v1_GetUptimeRequest__Output, _gsq_v1_GetUptimeResponse>;
  
  /**
   * Returns the same shares as GetUptime, as the JSON of the REST answer.
   */
  GetUptimeJson: grpc.handleUnaryCall<_gsq_v1_GetUptimeRequest__Output, _google_api_HttpBody>;
  
  /**
   * Lists the times in which a server was offline, the newest first.
   */
  ListIncidents: grpc.handleUnaryCall<_gsq_v1_ListIncidentsRequest__Output, _gsq_v1_ListIncidentsResponse>;
  
  /**
   * Returns the same page as ListIncidents, as the JSON of the REST answer.
   */
  ListIncidentsJson: grpc.handleUnaryCall<_gsq_v1_ListIncidentsRequest__Output, _google_api_HttpBody>;
  
}

export interface HistoryServiceDefinition extends grpc.ServiceDefinition {
  GetHistory: MethodDefinition<_gsq_v1_GetHistoryRequest, _gsq_v1_GetHistoryResponse, _gsq_v1_GetHistoryRequest__Output, _gsq_v1_GetHistoryResponse__Output>
  GetHistoryJson: MethodDefinition<_gsq_v1_GetHistoryRequest, _google_api_HttpBody, _gsq_v1_GetHistoryRequest__Output, _google_api_HttpBody__Output>
  GetTrends: MethodDefinition<_gsq_v1_GetTrendsRequest, _gsq_v1_GetTrendsResponse, _gsq_v1_GetTrendsRequest__Output, _gsq_v1_GetTrendsResponse__Output>
  GetTrendsJson: MethodDefinition<_gsq_v1_GetTrendsRequest, _google_api_HttpBody, _gsq_v1_GetTrendsRequest__Output, _google_api_HttpBody__Output>
  GetUptime: MethodDefinition<_gsq_v1_GetUptimeRequest, _gsq_v1_GetUptimeResponse, _gsq_v1_GetUptimeRequest__Output, _gsq_v1_GetUptimeResponse__Output>
  GetUptimeJson: MethodDefinition<_gsq_v1_GetUptimeRequest, _google_api_HttpBody, _gsq_v1_GetUptimeRequest__Output, _google_api_HttpBody__Output>
  ListIncidents: MethodDefinition<_gsq_v1_ListIncidentsRequest, _gsq_v1_ListIncidentsResponse, _gsq_v1_ListIncidentsRequest__Output, _gsq_v1_ListIncidentsResponse__Output>
  ListIncidentsJson: MethodDefinition<_gsq_v1_ListIncidentsRequest, _google_api_HttpBody, _gsq_v1_ListIncidentsRequest__Output, _google_api_HttpBody__Output>
}
