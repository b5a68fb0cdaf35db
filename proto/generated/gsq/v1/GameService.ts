// Original file: gsq/v1/game.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from '../../google/api/HttpBody.ts';
import type { ListGamesRequest as _gsq_v1_ListGamesRequest, ListGamesRequest__Output as _gsq_v1_ListGamesRequest__Output } from '../../gsq/v1/ListGamesRequest.ts';
import type { ListGamesResponse as _gsq_v1_ListGamesResponse, ListGamesResponse__Output as _gsq_v1_ListGamesResponse__Output } from '../../gsq/v1/ListGamesResponse.ts';

/**
 * The games that gsq supports. A call needs no credentials.
 */
export interface GameServiceClient extends grpc.Client {
  /**
   * Lists every supported game, in the order of the catalog.
   */
  ListGames(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  ListGames(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  ListGames(argument: _gsq_v1_ListGamesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  ListGames(argument: _gsq_v1_ListGamesRequest, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Lists every supported game, in the order of the catalog.
   */
  listGames(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  listGames(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  listGames(argument: _gsq_v1_ListGamesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  listGames(argument: _gsq_v1_ListGamesRequest, callback: grpc.requestCallback<_gsq_v1_ListGamesResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Lists the same games as ListGames, as the JSON body of the REST answer: an array of objects with `id` and `name`.
   * A REST path returns the JSON unchanged, also if a transcoder such as Envoy serves the path.
   */
  ListGamesJson(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListGamesJson(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListGamesJson(argument: _gsq_v1_ListGamesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListGamesJson(argument: _gsq_v1_ListGamesRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Lists the same games as ListGames, as the JSON body of the REST answer: an array of objects with `id` and `name`.
   * A REST path returns the JSON unchanged, also if a transcoder such as Envoy serves the path.
   */
  listGamesJson(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listGamesJson(argument: _gsq_v1_ListGamesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listGamesJson(argument: _gsq_v1_ListGamesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listGamesJson(argument: _gsq_v1_ListGamesRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
}

/**
 * The games that gsq supports. A call needs no credentials.
 */
export interface GameServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Lists every supported game, in the order of the catalog.
   */
  ListGames: grpc.handleUnaryCall<_gsq_v1_ListGamesRequest__Output, _gsq_v1_ListGamesResponse>;
  
  /**
   * Lists the same games as ListGames, as the JSON body of the REST answer: an array of objects with `id` and `name`.
   * A REST path returns the JSON unchanged, also if a transcoder such as Envoy serves the path.
   */
  ListGamesJson: grpc.handleUnaryCall<_gsq_v1_ListGamesRequest__Output, _google_api_HttpBody>;
  
}

export interface GameServiceDefinition extends grpc.ServiceDefinition {
  ListGames: MethodDefinition<_gsq_v1_ListGamesRequest, _gsq_v1_ListGamesResponse, _gsq_v1_ListGamesRequest__Output, _gsq_v1_ListGamesResponse__Output>
  ListGamesJson: MethodDefinition<_gsq_v1_ListGamesRequest, _google_api_HttpBody, _gsq_v1_ListGamesRequest__Output, _google_api_HttpBody__Output>
}
