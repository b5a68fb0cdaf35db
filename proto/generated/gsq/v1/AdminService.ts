// Original file: gsq/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddServersRequest as _gsq_v1_AddServersRequest, AddServersRequest__Output as _gsq_v1_AddServersRequest__Output } from '../../gsq/v1/AddServersRequest.ts';
import type { AddServersResponse as _gsq_v1_AddServersResponse, AddServersResponse__Output as _gsq_v1_AddServersResponse__Output } from '../../gsq/v1/AddServersResponse.ts';
import type { AllowTokenRequest as _gsq_v1_AllowTokenRequest, AllowTokenRequest__Output as _gsq_v1_AllowTokenRequest__Output } from '../../gsq/v1/AllowTokenRequest.ts';
import type { AllowTokenResponse as _gsq_v1_AllowTokenResponse, AllowTokenResponse__Output as _gsq_v1_AllowTokenResponse__Output } from '../../gsq/v1/AllowTokenResponse.ts';
import type { BackupRequest as _gsq_v1_BackupRequest, BackupRequest__Output as _gsq_v1_BackupRequest__Output } from '../../gsq/v1/BackupRequest.ts';
import type { BackupResponse as _gsq_v1_BackupResponse, BackupResponse__Output as _gsq_v1_BackupResponse__Output } from '../../gsq/v1/BackupResponse.ts';
import type { CreateTokenRequest as _gsq_v1_CreateTokenRequest, CreateTokenRequest__Output as _gsq_v1_CreateTokenRequest__Output } from '../../gsq/v1/CreateTokenRequest.ts';
import type { CreateTokenResponse as _gsq_v1_CreateTokenResponse, CreateTokenResponse__Output as _gsq_v1_CreateTokenResponse__Output } from '../../gsq/v1/CreateTokenResponse.ts';
import type { ExpireTokenRequest as _gsq_v1_ExpireTokenRequest, ExpireTokenRequest__Output as _gsq_v1_ExpireTokenRequest__Output } from '../../gsq/v1/ExpireTokenRequest.ts';
import type { ExpireTokenResponse as _gsq_v1_ExpireTokenResponse, ExpireTokenResponse__Output as _gsq_v1_ExpireTokenResponse__Output } from '../../gsq/v1/ExpireTokenResponse.ts';
import type { GetStatsRequest as _gsq_v1_GetStatsRequest, GetStatsRequest__Output as _gsq_v1_GetStatsRequest__Output } from '../../gsq/v1/GetStatsRequest.ts';
import type { GetStatsResponse as _gsq_v1_GetStatsResponse, GetStatsResponse__Output as _gsq_v1_GetStatsResponse__Output } from '../../gsq/v1/GetStatsResponse.ts';
import type { GetTokenRequest as _gsq_v1_GetTokenRequest, GetTokenRequest__Output as _gsq_v1_GetTokenRequest__Output } from '../../gsq/v1/GetTokenRequest.ts';
import type { GetTokenResponse as _gsq_v1_GetTokenResponse, GetTokenResponse__Output as _gsq_v1_GetTokenResponse__Output } from '../../gsq/v1/GetTokenResponse.ts';
import type { ListServersRequest as _gsq_v1_ListServersRequest, ListServersRequest__Output as _gsq_v1_ListServersRequest__Output } from '../../gsq/v1/ListServersRequest.ts';
import type { ListServersResponse as _gsq_v1_ListServersResponse, ListServersResponse__Output as _gsq_v1_ListServersResponse__Output } from '../../gsq/v1/ListServersResponse.ts';
import type { ListTokensRequest as _gsq_v1_ListTokensRequest, ListTokensRequest__Output as _gsq_v1_ListTokensRequest__Output } from '../../gsq/v1/ListTokensRequest.ts';
import type { ListTokensResponse as _gsq_v1_ListTokensResponse, ListTokensResponse__Output as _gsq_v1_ListTokensResponse__Output } from '../../gsq/v1/ListTokensResponse.ts';
import type { RemoveServersRequest as _gsq_v1_RemoveServersRequest, RemoveServersRequest__Output as _gsq_v1_RemoveServersRequest__Output } from '../../gsq/v1/RemoveServersRequest.ts';
import type { RemoveServersResponse as _gsq_v1_RemoveServersResponse, RemoveServersResponse__Output as _gsq_v1_RemoveServersResponse__Output } from '../../gsq/v1/RemoveServersResponse.ts';
import type { RevokeTokenRequest as _gsq_v1_RevokeTokenRequest, RevokeTokenRequest__Output as _gsq_v1_RevokeTokenRequest__Output } from '../../gsq/v1/RevokeTokenRequest.ts';
import type { RevokeTokenResponse as _gsq_v1_RevokeTokenResponse, RevokeTokenResponse__Output as _gsq_v1_RevokeTokenResponse__Output } from '../../gsq/v1/RevokeTokenResponse.ts';
import type { RotateTokenRequest as _gsq_v1_RotateTokenRequest, RotateTokenRequest__Output as _gsq_v1_RotateTokenRequest__Output } from '../../gsq/v1/RotateTokenRequest.ts';
import type { RotateTokenResponse as _gsq_v1_RotateTokenResponse, RotateTokenResponse__Output as _gsq_v1_RotateTokenResponse__Output } from '../../gsq/v1/RotateTokenResponse.ts';

/**
 * For operators, on the internal port only.
 */
export interface AdminServiceClient extends grpc.Client {
  /**
   * Inserts servers as a fetch would, without a token, and stores what they are asked with. INVALID_ARGUMENT, and nothing
   * is done, if a game takes no such secret or option.
   */
  AddServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  AddServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  AddServers(argument: _gsq_v1_AddServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  AddServers(argument: _gsq_v1_AddServersRequest, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Inserts servers as a fetch would, without a token, and stores what they are asked with. INVALID_ARGUMENT, and nothing
   * is done, if a game takes no such secret or option.
   */
  addServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  addServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  addServers(argument: _gsq_v1_AddServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  addServers(argument: _gsq_v1_AddServersRequest, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Changes where a token may be used from.
   */
  AllowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  AllowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  AllowToken(argument: _gsq_v1_AllowTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  AllowToken(argument: _gsq_v1_AllowTokenRequest, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Changes where a token may be used from.
   */
  allowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  allowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  allowToken(argument: _gsq_v1_AllowTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  allowToken(argument: _gsq_v1_AllowTokenRequest, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * All that is stored, as lines of JSON with a header and a footer (docs/operations.md): every server and token that was
   * acknowledged before the call, and the key that tokens are hashed with. What servers are asked with is encrypted, and
   * its key is not among the lines.
   */
  Backup(argument: _gsq_v1_BackupRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  Backup(argument: _gsq_v1_BackupRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  /**
   * All that is stored, as lines of JSON with a header and a footer (docs/operations.md): every server and token that was
   * acknowledged before the call, and the key that tokens are hashed with. What servers are asked with is encrypted, and
   * its key is not among the lines.
   */
  backup(argument: _gsq_v1_BackupRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  backup(argument: _gsq_v1_BackupRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  
  /**
   * Makes a token. Its secret is in this answer and nowhere else.
   */
  CreateToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  CreateToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  CreateToken(argument: _gsq_v1_CreateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  CreateToken(argument: _gsq_v1_CreateTokenRequest, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Makes a token. Its secret is in this answer and nowhere else.
   */
  createToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  createToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  createToken(argument: _gsq_v1_CreateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  createToken(argument: _gsq_v1_CreateTokenRequest, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Changes when a token ends; one that has ended is valid again.
   */
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Changes when a token ends; one that has ended is valid again.
   */
  expireToken(argument: _gsq_v1_ExpireTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  expireToken(argument: _gsq_v1_ExpireTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  expireToken(argument: _gsq_v1_ExpireTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  expireToken(argument: _gsq_v1_ExpireTokenRequest, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  
  GetStats(argument: _gsq_v1_GetStatsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  GetStats(argument: _gsq_v1_GetStatsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  GetStats(argument: _gsq_v1_GetStatsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  GetStats(argument: _gsq_v1_GetStatsRequest, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  getStats(argument: _gsq_v1_GetStatsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  getStats(argument: _gsq_v1_GetStatsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  getStats(argument: _gsq_v1_GetStatsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  getStats(argument: _gsq_v1_GetStatsRequest, callback: grpc.requestCallback<_gsq_v1_GetStatsResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * NOT_FOUND where there is no such token, as in the three below.
   */
  GetToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  GetToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  GetToken(argument: _gsq_v1_GetTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  GetToken(argument: _gsq_v1_GetTokenRequest, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * NOT_FOUND where there is no such token, as in the three below.
   */
  getToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  getToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  getToken(argument: _gsq_v1_GetTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  getToken(argument: _gsq_v1_GetTokenRequest, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * A page of tracked servers, in order of (game_id, address).
   */
  ListServers(argument: _gsq_v1_ListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ListServersRequest, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * A page of tracked servers, in order of (game_id, address).
   */
  listServers(argument: _gsq_v1_ListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  listServers(argument: _gsq_v1_ListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  listServers(argument: _gsq_v1_ListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  listServers(argument: _gsq_v1_ListServersRequest, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  
  ListTokens(argument: _gsq_v1_ListTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  ListTokens(argument: _gsq_v1_ListTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  ListTokens(argument: _gsq_v1_ListTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  ListTokens(argument: _gsq_v1_ListTokensRequest, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _gsq_v1_ListTokensRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _gsq_v1_ListTokensRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _gsq_v1_ListTokensRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  listTokens(argument: _gsq_v1_ListTokensRequest, callback: grpc.requestCallback<_gsq_v1_ListTokensResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Forgets servers and their data.
   */
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Forgets servers and their data.
   */
  removeServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  removeServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  removeServers(argument: _gsq_v1_RemoveServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  removeServers(argument: _gsq_v1_RemoveServersRequest, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * NOT_FOUND where there is no such token; revoking twice is no error.
   */
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * NOT_FOUND where there is no such token; revoking twice is no error.
   */
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Gives a token a new secret, in this answer and nowhere else. The one it had stays valid for a while.
   */
  RotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  RotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  RotateToken(argument: _gsq_v1_RotateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  RotateToken(argument: _gsq_v1_RotateTokenRequest, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Gives a token a new secret, in this answer and nowhere else. The one it had stays valid for a while.
   */
  rotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  rotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  rotateToken(argument: _gsq_v1_RotateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  rotateToken(argument: _gsq_v1_RotateTokenRequest, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * For operators, on the internal port only.
 */
export interface AdminServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Inserts servers as a fetch would, without a token, and stores what they are asked with. INVALID_ARGUMENT, and nothing
   * is done, if a game takes no such secret or option.
   */
  AddServers: grpc.handleUnaryCall<_gsq_v1_AddServersRequest__Output, _gsq_v1_AddServersResponse>;
  
  /**
   * Changes where a token may be used from.
   */
  AllowToken: grpc.handleUnaryCall<_gsq_v1_AllowTokenRequest__Output, _gsq_v1_AllowTokenResponse>;
  
  /**
   * All that is stored, as lines of JSON with a header and a footer (docs/operations.md): every server and token that was
   * acknowledged before the call, and the key that tokens are hashed with. What servers are asked with is encrypted, and
   * its key is not among the lines.
   */
  Backup: grpc.handleServerStreamingCall<_gsq_v1_BackupRequest__Output, _gsq_v1_BackupResponse>;
  
  /**
   * Makes a token. Its secret is in this answer and nowhere else.
   */
  CreateToken: grpc.handleUnaryCall<_gsq_v1_CreateTokenRequest__Output, _gsq_v1_CreateTokenResponse>;
  
  /**
   * Changes when a token ends; one that has ended is valid again.
   */
  ExpireToken: grpc.handleUnaryCall<_gsq_v1_ExpireTokenRequest__Output, _gsq_v1_ExpireTokenResponse>;
  
  GetStats: grpc.handleUnaryCall<_gsq_v1_GetStatsRequest__Output, _gsq_v1_GetStatsResponse>;
  
  /**
   * NOT_FOUND where there is no such token, as in the three below.
   */
  GetToken: grpc.handleUnaryCall<_gsq_v1_GetTokenRequest__Output, _gsq_v1_GetTokenResponse>;
  
  /**
   * A page of tracked servers, in order of (game_id, address).
   */
  ListServers: grpc.handleUnaryCall<_gsq_v1_ListServersRequest__Output, _gsq_v1_ListServersResponse>;
  
  ListTokens: grpc.handleUnaryCall<_gsq_v1_ListTokensRequest__Output, _gsq_v1_ListTokensResponse>;
  
  /**
   * Forgets servers and their data.
   */
  RemoveServers: grpc.handleUnaryCall<_gsq_v1_RemoveServersRequest__Output, _gsq_v1_RemoveServersResponse>;
  
  /**
   * NOT_FOUND where there is no such token; revoking twice is no error.
   */
  RevokeToken: grpc.handleUnaryCall<_gsq_v1_RevokeTokenRequest__Output, _gsq_v1_RevokeTokenResponse>;
  
  /**
   * Gives a token a new secret, in this answer and nowhere else. The one it had stays valid for a while.
   */
  RotateToken: grpc.handleUnaryCall<_gsq_v1_RotateTokenRequest__Output, _gsq_v1_RotateTokenResponse>;
  
}

export interface AdminServiceDefinition extends grpc.ServiceDefinition {
  AddServers: MethodDefinition<_gsq_v1_AddServersRequest, _gsq_v1_AddServersResponse, _gsq_v1_AddServersRequest__Output, _gsq_v1_AddServersResponse__Output>
  AllowToken: MethodDefinition<_gsq_v1_AllowTokenRequest, _gsq_v1_AllowTokenResponse, _gsq_v1_AllowTokenRequest__Output, _gsq_v1_AllowTokenResponse__Output>
  Backup: MethodDefinition<_gsq_v1_BackupRequest, _gsq_v1_BackupResponse, _gsq_v1_BackupRequest__Output, _gsq_v1_BackupResponse__Output>
  CreateToken: MethodDefinition<_gsq_v1_CreateTokenRequest, _gsq_v1_CreateTokenResponse, _gsq_v1_CreateTokenRequest__Output, _gsq_v1_CreateTokenResponse__Output>
  ExpireToken: MethodDefinition<_gsq_v1_ExpireTokenRequest, _gsq_v1_ExpireTokenResponse, _gsq_v1_ExpireTokenRequest__Output, _gsq_v1_ExpireTokenResponse__Output>
  GetStats: MethodDefinition<_gsq_v1_GetStatsRequest, _gsq_v1_GetStatsResponse, _gsq_v1_GetStatsRequest__Output, _gsq_v1_GetStatsResponse__Output>
  GetToken: MethodDefinition<_gsq_v1_GetTokenRequest, _gsq_v1_GetTokenResponse, _gsq_v1_GetTokenRequest__Output, _gsq_v1_GetTokenResponse__Output>
  ListServers: MethodDefinition<_gsq_v1_ListServersRequest, _gsq_v1_ListServersResponse, _gsq_v1_ListServersRequest__Output, _gsq_v1_ListServersResponse__Output>
  ListTokens: MethodDefinition<_gsq_v1_ListTokensRequest, _gsq_v1_ListTokensResponse, _gsq_v1_ListTokensRequest__Output, _gsq_v1_ListTokensResponse__Output>
  RemoveServers: MethodDefinition<_gsq_v1_RemoveServersRequest, _gsq_v1_RemoveServersResponse, _gsq_v1_RemoveServersRequest__Output, _gsq_v1_RemoveServersResponse__Output>
  RevokeToken: MethodDefinition<_gsq_v1_RevokeTokenRequest, _gsq_v1_RevokeTokenResponse, _gsq_v1_RevokeTokenRequest__Output, _gsq_v1_RevokeTokenResponse__Output>
  RotateToken: MethodDefinition<_gsq_v1_RotateTokenRequest, _gsq_v1_RotateTokenResponse, _gsq_v1_RotateTokenRequest__Output, _gsq_v1_RotateTokenResponse__Output>
}
