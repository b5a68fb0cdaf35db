// Original file: gsq/v1/cluster.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ChangeServersRequest as _gsq_v1_ChangeServersRequest, ChangeServersRequest__Output as _gsq_v1_ChangeServersRequest__Output } from '../../gsq/v1/ChangeServersRequest.ts';
import type { ChangeServersResponse as _gsq_v1_ChangeServersResponse, ChangeServersResponse__Output as _gsq_v1_ChangeServersResponse__Output } from '../../gsq/v1/ChangeServersResponse.ts';
import type { ChargeTokensRequest as _gsq_v1_ChargeTokensRequest, ChargeTokensRequest__Output as _gsq_v1_ChargeTokensRequest__Output } from '../../gsq/v1/ChargeTokensRequest.ts';
import type { ChargeTokensResponse as _gsq_v1_ChargeTokensResponse, ChargeTokensResponse__Output as _gsq_v1_ChargeTokensResponse__Output } from '../../gsq/v1/ChargeTokensResponse.ts';
import type { CountPartRequest as _gsq_v1_CountPartRequest, CountPartRequest__Output as _gsq_v1_CountPartRequest__Output } from '../../gsq/v1/CountPartRequest.ts';
import type { CountPartResponse as _gsq_v1_CountPartResponse, CountPartResponse__Output as _gsq_v1_CountPartResponse__Output } from '../../gsq/v1/CountPartResponse.ts';
import type { FetchPartsRequest as _gsq_v1_FetchPartsRequest, FetchPartsRequest__Output as _gsq_v1_FetchPartsRequest__Output } from '../../gsq/v1/FetchPartsRequest.ts';
import type { FetchPartsResponse as _gsq_v1_FetchPartsResponse, FetchPartsResponse__Output as _gsq_v1_FetchPartsResponse__Output } from '../../gsq/v1/FetchPartsResponse.ts';
import type { FollowAccountsRequest as _gsq_v1_FollowAccountsRequest, FollowAccountsRequest__Output as _gsq_v1_FollowAccountsRequest__Output } from '../../gsq/v1/FollowAccountsRequest.ts';
import type { FollowAccountsResponse as _gsq_v1_FollowAccountsResponse, FollowAccountsResponse__Output as _gsq_v1_FollowAccountsResponse__Output } from '../../gsq/v1/FollowAccountsResponse.ts';
import type { FollowChangesRequest as _gsq_v1_FollowChangesRequest, FollowChangesRequest__Output as _gsq_v1_FollowChangesRequest__Output } from '../../gsq/v1/FollowChangesRequest.ts';
import type { FollowChangesResponse as _gsq_v1_FollowChangesResponse, FollowChangesResponse__Output as _gsq_v1_FollowChangesResponse__Output } from '../../gsq/v1/FollowChangesResponse.ts';
import type { GetPartStatsRequest as _gsq_v1_GetPartStatsRequest, GetPartStatsRequest__Output as _gsq_v1_GetPartStatsRequest__Output } from '../../gsq/v1/GetPartStatsRequest.ts';
import type { GetPartStatsResponse as _gsq_v1_GetPartStatsResponse, GetPartStatsResponse__Output as _gsq_v1_GetPartStatsResponse__Output } from '../../gsq/v1/GetPartStatsResponse.ts';
import type { JsonStreamRequest as _gsq_v1_JsonStreamRequest, JsonStreamRequest__Output as _gsq_v1_JsonStreamRequest__Output } from '../../gsq/v1/JsonStreamRequest.ts';
import type { JsonStreamResponse as _gsq_v1_JsonStreamResponse, JsonStreamResponse__Output as _gsq_v1_JsonStreamResponse__Output } from '../../gsq/v1/JsonStreamResponse.ts';
import type { MoveStoreRequest as _gsq_v1_MoveStoreRequest, MoveStoreRequest__Output as _gsq_v1_MoveStoreRequest__Output } from '../../gsq/v1/MoveStoreRequest.ts';
import type { MoveStoreResponse as _gsq_v1_MoveStoreResponse, MoveStoreResponse__Output as _gsq_v1_MoveStoreResponse__Output } from '../../gsq/v1/MoveStoreResponse.ts';
import type { RenderServersRequest as _gsq_v1_RenderServersRequest, RenderServersRequest__Output as _gsq_v1_RenderServersRequest__Output } from '../../gsq/v1/RenderServersRequest.ts';
import type { RenderServersResponse as _gsq_v1_RenderServersResponse, RenderServersResponse__Output as _gsq_v1_RenderServersResponse__Output } from '../../gsq/v1/RenderServersResponse.ts';
import type { SearchPartRequest as _gsq_v1_SearchPartRequest, SearchPartRequest__Output as _gsq_v1_SearchPartRequest__Output } from '../../gsq/v1/SearchPartRequest.ts';
import type { SearchPartResponse as _gsq_v1_SearchPartResponse, SearchPartResponse__Output as _gsq_v1_SearchPartResponse__Output } from '../../gsq/v1/SearchPartResponse.ts';
import type { WatchMembersRequest as _gsq_v1_WatchMembersRequest, WatchMembersRequest__Output as _gsq_v1_WatchMembersRequest__Output } from '../../gsq/v1/WatchMembersRequest.ts';
import type { WatchMembersResponse as _gsq_v1_WatchMembersResponse, WatchMembersResponse__Output as _gsq_v1_WatchMembersResponse__Output } from '../../gsq/v1/WatchMembersResponse.ts';

/**
 * The calls between the cores of one cluster. Each core owns some buckets of servers, and answers these calls only for
 * its own servers. Probers and notifiers call only WatchMembers, and gateways only WatchMembers and JsonStream. Only the
 * internal port offers this service.
 */
export interface ClusterServiceClient extends grpc.Client {
  /**
   * Changes servers of the called core.
   */
  ChangeServers(argument: _gsq_v1_ChangeServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  ChangeServers(argument: _gsq_v1_ChangeServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  ChangeServers(argument: _gsq_v1_ChangeServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  ChangeServers(argument: _gsq_v1_ChangeServersRequest, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Changes servers of the called core.
   */
  changeServers(argument: _gsq_v1_ChangeServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  changeServers(argument: _gsq_v1_ChangeServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  changeServers(argument: _gsq_v1_ChangeServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  changeServers(argument: _gsq_v1_ChangeServersRequest, callback: grpc.requestCallback<_gsq_v1_ChangeServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Adds requests that the calling core has admitted to the usage of their tokens. Only the lead answers.
   */
  ChargeTokens(argument: _gsq_v1_ChargeTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  ChargeTokens(argument: _gsq_v1_ChargeTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  ChargeTokens(argument: _gsq_v1_ChargeTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  ChargeTokens(argument: _gsq_v1_ChargeTokensRequest, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Adds requests that the calling core has admitted to the usage of their tokens. Only the lead answers.
   */
  chargeTokens(argument: _gsq_v1_ChargeTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  chargeTokens(argument: _gsq_v1_ChargeTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  chargeTokens(argument: _gsq_v1_ChargeTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  chargeTokens(argument: _gsq_v1_ChargeTokensRequest, callback: grpc.requestCallback<_gsq_v1_ChargeTokensResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Counts the servers of the called core by game.
   */
  CountPart(argument: _gsq_v1_CountPartRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  CountPart(argument: _gsq_v1_CountPartRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  CountPart(argument: _gsq_v1_CountPartRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  CountPart(argument: _gsq_v1_CountPartRequest, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Counts the servers of the called core by game.
   */
  countPart(argument: _gsq_v1_CountPartRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  countPart(argument: _gsq_v1_CountPartRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  countPart(argument: _gsq_v1_CountPartRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  countPart(argument: _gsq_v1_CountPartRequest, callback: grpc.requestCallback<_gsq_v1_CountPartResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Reads, inserts or checks servers of the called core. Replies to each call as soon as its result is ready.
   */
  FetchParts(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchPartsRequest, _gsq_v1_FetchPartsResponse__Output>;
  FetchParts(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchPartsRequest, _gsq_v1_FetchPartsResponse__Output>;
  /**
   * Reads, inserts or checks servers of the called core. Replies to each call as soon as its result is ready.
   */
  fetchParts(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchPartsRequest, _gsq_v1_FetchPartsResponse__Output>;
  fetchParts(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_FetchPartsRequest, _gsq_v1_FetchPartsResponse__Output>;
  
  /**
   * Sends all tokens and their usage, and then each change. Only the lead, the core that owns the accounts, answers.
   */
  FollowAccounts(argument: _gsq_v1_FollowAccountsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowAccountsResponse__Output>;
  FollowAccounts(argument: _gsq_v1_FollowAccountsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowAccountsResponse__Output>;
  /**
   * Sends all tokens and their usage, and then each change. Only the lead, the core that owns the accounts, answers.
   */
  followAccounts(argument: _gsq_v1_FollowAccountsRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowAccountsResponse__Output>;
  followAccounts(argument: _gsq_v1_FollowAccountsRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowAccountsResponse__Output>;
  
  /**
   * Sends the visible changes of servers of the called core, or each new record of certain servers.
   */
  FollowChanges(argument: _gsq_v1_FollowChangesRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowChangesResponse__Output>;
  FollowChanges(argument: _gsq_v1_FollowChangesRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowChangesResponse__Output>;
  /**
   * Sends the visible changes of servers of the called core, or each new record of certain servers.
   */
  followChanges(argument: _gsq_v1_FollowChangesRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowChangesResponse__Output>;
  followChanges(argument: _gsq_v1_FollowChangesRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_FollowChangesResponse__Output>;
  
  /**
   * Returns the numbers of the called core alone.
   */
  GetPartStats(argument: _gsq_v1_GetPartStatsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  GetPartStats(argument: _gsq_v1_GetPartStatsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  GetPartStats(argument: _gsq_v1_GetPartStatsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  GetPartStats(argument: _gsq_v1_GetPartStatsRequest, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the numbers of the called core alone.
   */
  getPartStats(argument: _gsq_v1_GetPartStatsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  getPartStats(argument: _gsq_v1_GetPartStatsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  getPartStats(argument: _gsq_v1_GetPartStatsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  getPartStats(argument: _gsq_v1_GetPartStatsRequest, callback: grpc.requestCallback<_gsq_v1_GetPartStatsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Calls unary methods that return google.api.HttpBody, over one long-lived stream of a gateway. Each reply is sent as
   * soon as it is ready and has the id of its call. Such a call takes less CPU time than a gRPC call of its own.
   */
  JsonStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_JsonStreamRequest, _gsq_v1_JsonStreamResponse__Output>;
  JsonStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_JsonStreamRequest, _gsq_v1_JsonStreamResponse__Output>;
  /**
   * Calls unary methods that return google.api.HttpBody, over one long-lived stream of a gateway. Each reply is sent as
   * soon as it is ready and has the id of its call. Such a call takes less CPU time than a gRPC call of its own.
   */
  jsonStream(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_JsonStreamRequest, _gsq_v1_JsonStreamResponse__Output>;
  jsonStream(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_JsonStreamRequest, _gsq_v1_JsonStreamResponse__Output>;
  
  /**
   * Hands the embedded store of the called core over to `gsq migrate`. Each request gets one response, in their order. One
   * stream at a time is a migration. If the stream ends before `commit`, the core goes on as if it had never begun.
   */
  MoveStore(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_MoveStoreRequest, _gsq_v1_MoveStoreResponse__Output>;
  MoveStore(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_MoveStoreRequest, _gsq_v1_MoveStoreResponse__Output>;
  /**
   * Hands the embedded store of the called core over to `gsq migrate`. Each request gets one response, in their order. One
   * stream at a time is a migration. If the stream ends before `commit`, the core goes on as if it had never begun.
   */
  moveStore(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_MoveStoreRequest, _gsq_v1_MoveStoreResponse__Output>;
  moveStore(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_MoveStoreRequest, _gsq_v1_MoveStoreResponse__Output>;
  
  /**
   * Renders tracked servers of the called core for the answers to fetches. Sends one response to each request, in the
   * order of the requests.
   */
  RenderServers(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_RenderServersRequest, _gsq_v1_RenderServersResponse__Output>;
  RenderServers(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_RenderServersRequest, _gsq_v1_RenderServersResponse__Output>;
  /**
   * Renders tracked servers of the called core for the answers to fetches. Sends one response to each request, in the
   * order of the requests.
   */
  renderServers(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_RenderServersRequest, _gsq_v1_RenderServersResponse__Output>;
  renderServers(options?: grpc.CallOptions): grpc.ClientDuplexStream<_gsq_v1_RenderServersRequest, _gsq_v1_RenderServersResponse__Output>;
  
  /**
   * Searches the servers of the called core.
   */
  SearchPart(argument: _gsq_v1_SearchPartRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  SearchPart(argument: _gsq_v1_SearchPartRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  SearchPart(argument: _gsq_v1_SearchPartRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  SearchPart(argument: _gsq_v1_SearchPartRequest, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Searches the servers of the called core.
   */
  searchPart(argument: _gsq_v1_SearchPartRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  searchPart(argument: _gsq_v1_SearchPartRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  searchPart(argument: _gsq_v1_SearchPartRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  searchPart(argument: _gsq_v1_SearchPartRequest, callback: grpc.requestCallback<_gsq_v1_SearchPartResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Sends all cores of the cluster, and sends them again after each change.
   */
  WatchMembers(argument: _gsq_v1_WatchMembersRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchMembersResponse__Output>;
  WatchMembers(argument: _gsq_v1_WatchMembersRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchMembersResponse__Output>;
  /**
   * Sends all cores of the cluster, and sends them again after each change.
   */
  watchMembers(argument: _gsq_v1_WatchMembersRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchMembersResponse__Output>;
  watchMembers(argument: _gsq_v1_WatchMembersRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_WatchMembersResponse__Output>;
  
}

/**
 * The calls between the cores of one cluster. Each core owns some buckets of servers, and answers these calls only for
 * its own servers. Probers and notifiers call only WatchMembers, and gateways only WatchMembers and JsonStream. Only the
 * internal port offers this service.
 */
export interface ClusterServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Changes servers of the called core.
   */
  ChangeServers: grpc.handleUnaryCall<_gsq_v1_ChangeServersRequest__Output, _gsq_v1_ChangeServersResponse>;
  
  /**
   * Adds requests that the calling core has admitted to the usage of their tokens. Only the lead answers.
   */
  ChargeTokens: grpc.handleUnaryCall<_gsq_v1_ChargeTokensRequest__Output, _gsq_v1_ChargeTokensResponse>;
  
  /**
   * Counts the servers of the called core by game.
   */
  CountPart: grpc.handleUnaryCall<_gsq_v1_CountPartRequest__Output, _gsq_v1_CountPartResponse>;
  
  /**
   * Reads, inserts or checks servers of the called core. Replies to each call as soon as its result is ready.
   */
  FetchParts: grpc.handleBidiStreamingCall<_gsq_v1_FetchPartsRequest__Output, _gsq_v1_FetchPartsResponse>;
  
  /**
   * Sends all tokens and their usage, and then each change. Only the lead, the core that owns the accounts, answers.
   */
  FollowAccounts: grpc.handleServerStreamingCall<_gsq_v1_FollowAccountsRequest__Output, _gsq_v1_FollowAccountsResponse>;
  
  /**
   * Sends the visible changes of servers of the called core, or each new record of certain servers.
   */
  FollowChanges: grpc.handleServerStreamingCall<_gsq_v1_FollowChangesRequest__Output, _gsq_v1_FollowChangesResponse>;
  
  /**
   * Returns the numbers of the called core alone.
   */
  GetPartStats: grpc.handleUnaryCall<_gsq_v1_GetPartStatsRequest__Output, _gsq_v1_GetPartStatsResponse>;
  
  /**
   * Calls unary methods that return google.api.HttpBody, over one long-lived stream of a gateway. Each reply is sent as
   * soon as it is ready and has the id of its call. Such a call takes less CPU time than a gRPC call of its own.
   */
  JsonStream: grpc.handleBidiStreamingCall<_gsq_v1_JsonStreamRequest__Output, _gsq_v1_JsonStreamResponse>;
  
  /**
   * Hands the embedded store of the called core over to `gsq migrate`. Each request gets one response, in their order. One
   * stream at a time is a migration. If the stream ends before `commit`, the core goes on as if it had never begun.
   */
  MoveStore: grpc.handleBidiStreamingCall<_gsq_v1_MoveStoreRequest__Output, _gsq_v1_MoveStoreResponse>;
  
  /**
   * Renders tracked servers of the called core for the answers to fetches. Sends one response to each request, in the
   * order of the requests.
   */
  RenderServers: grpc.handleBidiStreamingCall<_gsq_v1_RenderServersRequest__Output, _gsq_v1_RenderServersResponse>;
  
  /**
   * Searches the servers of the called core.
   */
  SearchPart: grpc.handleUnaryCall<_gsq_v1_SearchPartRequest__Output, _gsq_v1_SearchPartResponse>;
  
  /**
   * Sends all cores of the cluster, and sends them again after each change.
   */
  WatchMembers: grpc.handleServerStreamingCall<_gsq_v1_WatchMembersRequest__Output, _gsq_v1_WatchMembersResponse>;
  
}

export interface ClusterServiceDefinition extends grpc.ServiceDefinition {
  ChangeServers: MethodDefinition<_gsq_v1_ChangeServersRequest, _gsq_v1_ChangeServersResponse, _gsq_v1_ChangeServersRequest__Output, _gsq_v1_ChangeServersResponse__Output>
  ChargeTokens: MethodDefinition<_gsq_v1_ChargeTokensRequest, _gsq_v1_ChargeTokensResponse, _gsq_v1_ChargeTokensRequest__Output, _gsq_v1_ChargeTokensResponse__Output>
  CountPart: MethodDefinition<_gsq_v1_CountPartRequest, _gsq_v1_CountPartResponse, _gsq_v1_CountPartRequest__Output, _gsq_v1_CountPartResponse__Output>
  FetchParts: MethodDefinition<_gsq_v1_FetchPartsRequest, _gsq_v1_FetchPartsResponse, _gsq_v1_FetchPartsRequest__Output, _gsq_v1_FetchPartsResponse__Output>
  FollowAccounts: MethodDefinition<_gsq_v1_FollowAccountsRequest, _gsq_v1_FollowAccountsResponse, _gsq_v1_FollowAccountsRequest__Output, _gsq_v1_FollowAccountsResponse__Output>
  FollowChanges: MethodDefinition<_gsq_v1_FollowChangesRequest, _gsq_v1_FollowChangesResponse, _gsq_v1_FollowChangesRequest__Output, _gsq_v1_FollowChangesResponse__Output>
  GetPartStats: MethodDefinition<_gsq_v1_GetPartStatsRequest, _gsq_v1_GetPartStatsResponse, _gsq_v1_GetPartStatsRequest__Output, _gsq_v1_GetPartStatsResponse__Output>
  JsonStream: MethodDefinition<_gsq_v1_JsonStreamRequest, _gsq_v1_JsonStreamResponse, _gsq_v1_JsonStreamRequest__Output, _gsq_v1_JsonStreamResponse__Output>
  MoveStore: MethodDefinition<_gsq_v1_MoveStoreRequest, _gsq_v1_MoveStoreResponse, _gsq_v1_MoveStoreRequest__Output, _gsq_v1_MoveStoreResponse__Output>
  RenderServers: MethodDefinition<_gsq_v1_RenderServersRequest, _gsq_v1_RenderServersResponse, _gsq_v1_RenderServersRequest__Output, _gsq_v1_RenderServersResponse__Output>
  SearchPart: MethodDefinition<_gsq_v1_SearchPartRequest, _gsq_v1_SearchPartResponse, _gsq_v1_SearchPartRequest__Output, _gsq_v1_SearchPartResponse__Output>
  WatchMembers: MethodDefinition<_gsq_v1_WatchMembersRequest, _gsq_v1_WatchMembersResponse, _gsq_v1_WatchMembersRequest__Output, _gsq_v1_WatchMembersResponse__Output>
}
