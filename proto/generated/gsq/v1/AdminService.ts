// Original file: gsq/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AddServersRequest as _gsq_v1_AddServersRequest, AddServersRequest__Output as _gsq_v1_AddServersRequest__Output } from '../../gsq/v1/AddServersRequest.ts';
import type { AddServersResponse as _gsq_v1_AddServersResponse, AddServersResponse__Output as _gsq_v1_AddServersResponse__Output } from '../../gsq/v1/AddServersResponse.ts';
import type { AllowTokenRequest as _gsq_v1_AllowTokenRequest, AllowTokenRequest__Output as _gsq_v1_AllowTokenRequest__Output } from '../../gsq/v1/AllowTokenRequest.ts';
import type { AllowTokenResponse as _gsq_v1_AllowTokenResponse, AllowTokenResponse__Output as _gsq_v1_AllowTokenResponse__Output } from '../../gsq/v1/AllowTokenResponse.ts';
import type { BackupRequest as _gsq_v1_BackupRequest, BackupRequest__Output as _gsq_v1_BackupRequest__Output } from '../../gsq/v1/BackupRequest.ts';
import type { BackupResponse as _gsq_v1_BackupResponse, BackupResponse__Output as _gsq_v1_BackupResponse__Output } from '../../gsq/v1/BackupResponse.ts';
import type { CheckServersRequest as _gsq_v1_CheckServersRequest, CheckServersRequest__Output as _gsq_v1_CheckServersRequest__Output } from '../../gsq/v1/CheckServersRequest.ts';
import type { CheckServersResponse as _gsq_v1_CheckServersResponse, CheckServersResponse__Output as _gsq_v1_CheckServersResponse__Output } from '../../gsq/v1/CheckServersResponse.ts';
import type { CreateTokenRequest as _gsq_v1_CreateTokenRequest, CreateTokenRequest__Output as _gsq_v1_CreateTokenRequest__Output } from '../../gsq/v1/CreateTokenRequest.ts';
import type { CreateTokenResponse as _gsq_v1_CreateTokenResponse, CreateTokenResponse__Output as _gsq_v1_CreateTokenResponse__Output } from '../../gsq/v1/CreateTokenResponse.ts';
import type { ExpireTokenRequest as _gsq_v1_ExpireTokenRequest, ExpireTokenRequest__Output as _gsq_v1_ExpireTokenRequest__Output } from '../../gsq/v1/ExpireTokenRequest.ts';
import type { ExpireTokenResponse as _gsq_v1_ExpireTokenResponse, ExpireTokenResponse__Output as _gsq_v1_ExpireTokenResponse__Output } from '../../gsq/v1/ExpireTokenResponse.ts';
import type { GetStatsRequest as _gsq_v1_GetStatsRequest, GetStatsRequest__Output as _gsq_v1_GetStatsRequest__Output } from '../../gsq/v1/GetStatsRequest.ts';
import type { GetStatsResponse as _gsq_v1_GetStatsResponse, GetStatsResponse__Output as _gsq_v1_GetStatsResponse__Output } from '../../gsq/v1/GetStatsResponse.ts';
import type { GetTokenRequest as _gsq_v1_GetTokenRequest, GetTokenRequest__Output as _gsq_v1_GetTokenRequest__Output } from '../../gsq/v1/GetTokenRequest.ts';
import type { GetTokenResponse as _gsq_v1_GetTokenResponse, GetTokenResponse__Output as _gsq_v1_GetTokenResponse__Output } from '../../gsq/v1/GetTokenResponse.ts';
import type { ListPubliclyRequest as _gsq_v1_ListPubliclyRequest, ListPubliclyRequest__Output as _gsq_v1_ListPubliclyRequest__Output } from '../../gsq/v1/ListPubliclyRequest.ts';
import type { ListPubliclyResponse as _gsq_v1_ListPubliclyResponse, ListPubliclyResponse__Output as _gsq_v1_ListPubliclyResponse__Output } from '../../gsq/v1/ListPubliclyResponse.ts';
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
 * Service for operators. Only the internal port serves it.
 */
export interface AdminServiceClient extends grpc.Client {
  /**
   * Inserts servers like a fetch, but without a token. Stores the secret and the options that queries of these servers
   * use. If a game does not use such a secret or option, fails with INVALID_ARGUMENT and changes nothing.
   */
  AddServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  AddServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  AddServers(argument: _gsq_v1_AddServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  AddServers(argument: _gsq_v1_AddServersRequest, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Inserts servers like a fetch, but without a token. Stores the secret and the options that queries of these servers
   * use. If a game does not use such a secret or option, fails with INVALID_ARGUMENT and changes nothing.
   */
  addServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  addServers(argument: _gsq_v1_AddServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  addServers(argument: _gsq_v1_AddServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  addServers(argument: _gsq_v1_AddServersRequest, callback: grpc.requestCallback<_gsq_v1_AddServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Changes the IP addresses and domains from which a token can be used.
   */
  AllowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  AllowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  AllowToken(argument: _gsq_v1_AllowTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  AllowToken(argument: _gsq_v1_AllowTokenRequest, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Changes the IP addresses and domains from which a token can be used.
   */
  allowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  allowToken(argument: _gsq_v1_AllowTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  allowToken(argument: _gsq_v1_AllowTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  allowToken(argument: _gsq_v1_AllowTokenRequest, callback: grpc.requestCallback<_gsq_v1_AllowTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns a backup of all stored data, as lines of JSON with a header and a footer (docs/operations.md). The backup
   * contains every server and token that was acknowledged before the call, and the key that hashes tokens. It contains
   * the credentials of servers in encrypted form, but not the key that encrypts them.
   */
  Backup(argument: _gsq_v1_BackupRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  Backup(argument: _gsq_v1_BackupRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  /**
   * Returns a backup of all stored data, as lines of JSON with a header and a footer (docs/operations.md). The backup
   * contains every server and token that was acknowledged before the call, and the key that hashes tokens. It contains
   * the credentials of servers in encrypted form, but not the key that encrypts them.
   */
  backup(argument: _gsq_v1_BackupRequest, metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  backup(argument: _gsq_v1_BackupRequest, options?: grpc.CallOptions): grpc.ClientReadableStream<_gsq_v1_BackupResponse__Output>;
  
  /**
   * Checks servers as AddServers does, but inserts nothing and changes nothing.
   */
  CheckServers(argument: _gsq_v1_CheckServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  CheckServers(argument: _gsq_v1_CheckServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  CheckServers(argument: _gsq_v1_CheckServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  CheckServers(argument: _gsq_v1_CheckServersRequest, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Checks servers as AddServers does, but inserts nothing and changes nothing.
   */
  checkServers(argument: _gsq_v1_CheckServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  checkServers(argument: _gsq_v1_CheckServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  checkServers(argument: _gsq_v1_CheckServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  checkServers(argument: _gsq_v1_CheckServersRequest, callback: grpc.requestCallback<_gsq_v1_CheckServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Creates a token. Only this response contains the secret of the token; gsq stores only a hash of it.
   */
  CreateToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  CreateToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  CreateToken(argument: _gsq_v1_CreateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  CreateToken(argument: _gsq_v1_CreateTokenRequest, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Creates a token. Only this response contains the secret of the token; gsq stores only a hash of it.
   */
  createToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  createToken(argument: _gsq_v1_CreateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  createToken(argument: _gsq_v1_CreateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  createToken(argument: _gsq_v1_CreateTokenRequest, callback: grpc.requestCallback<_gsq_v1_CreateTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Changes the expiry time of a token. An expired token becomes valid again.
   */
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  ExpireToken(argument: _gsq_v1_ExpireTokenRequest, callback: grpc.requestCallback<_gsq_v1_ExpireTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Changes the expiry time of a token. An expired token becomes valid again.
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
   * Returns a token. GetToken, RotateToken, AllowToken and ExpireToken fail with NOT_FOUND if the token does not exist.
   */
  GetToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  GetToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  GetToken(argument: _gsq_v1_GetTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  GetToken(argument: _gsq_v1_GetTokenRequest, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns a token. GetToken, RotateToken, AllowToken and ExpireToken fail with NOT_FOUND if the token does not exist.
   */
  getToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  getToken(argument: _gsq_v1_GetTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  getToken(argument: _gsq_v1_GetTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  getToken(argument: _gsq_v1_GetTokenRequest, callback: grpc.requestCallback<_gsq_v1_GetTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Lists servers publicly, or ends this. If GSQ_PAGE_SERVERS is `listed`, callers without a token see only these servers.
   */
  ListPublicly(argument: _gsq_v1_ListPubliclyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  ListPublicly(argument: _gsq_v1_ListPubliclyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  ListPublicly(argument: _gsq_v1_ListPubliclyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  ListPublicly(argument: _gsq_v1_ListPubliclyRequest, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Lists servers publicly, or ends this. If GSQ_PAGE_SERVERS is `listed`, callers without a token see only these servers.
   */
  listPublicly(argument: _gsq_v1_ListPubliclyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  listPublicly(argument: _gsq_v1_ListPubliclyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  listPublicly(argument: _gsq_v1_ListPubliclyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  listPublicly(argument: _gsq_v1_ListPubliclyRequest, callback: grpc.requestCallback<_gsq_v1_ListPubliclyResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns a page of tracked servers, sorted by game_id and address.
   */
  ListServers(argument: _gsq_v1_ListServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ListServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ListServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  ListServers(argument: _gsq_v1_ListServersRequest, callback: grpc.requestCallback<_gsq_v1_ListServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Returns a page of tracked servers, sorted by game_id and address.
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
   * Removes servers and their data.
   */
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  RemoveServers(argument: _gsq_v1_RemoveServersRequest, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Removes servers and their data.
   */
  removeServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  removeServers(argument: _gsq_v1_RemoveServersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  removeServers(argument: _gsq_v1_RemoveServersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  removeServers(argument: _gsq_v1_RemoveServersRequest, callback: grpc.requestCallback<_gsq_v1_RemoveServersResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Revokes a token. Fails with NOT_FOUND if the token does not exist. Revoking a revoked token is not an error.
   */
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  RevokeToken(argument: _gsq_v1_RevokeTokenRequest, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Revokes a token. Fails with NOT_FOUND if the token does not exist. Revoking a revoked token is not an error.
   */
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  revokeToken(argument: _gsq_v1_RevokeTokenRequest, callback: grpc.requestCallback<_gsq_v1_RevokeTokenResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Gives a token a new secret. Only this response contains the new secret. The previous secret stays valid for a grace
   * period.
   */
  RotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  RotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  RotateToken(argument: _gsq_v1_RotateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  RotateToken(argument: _gsq_v1_RotateTokenRequest, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Gives a token a new secret. Only this response contains the new secret. The previous secret stays valid for a grace
   * period.
   */
  rotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  rotateToken(argument: _gsq_v1_RotateTokenRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  rotateToken(argument: _gsq_v1_RotateTokenRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  rotateToken(argument: _gsq_v1_RotateTokenRequest, callback: grpc.requestCallback<_gsq_v1_RotateTokenResponse__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Service for operators. Only the internal port serves it.
 */
export interface AdminServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Inserts servers like a fetch, but without a token. Stores the secret and the options that queries of these servers
   * use. If a game does not use such a secret or option, fails with INVALID_ARGUMENT and changes nothing.
   */
  AddServers: grpc.handleUnaryCall<_gsq_v1_AddServersRequest__Output, _gsq_v1_AddServersResponse>;
  
  /**
   * Changes the IP addresses and domains from which a token can be used.
   */
  AllowToken: grpc.handleUnaryCall<_gsq_v1_AllowTokenRequest__Output, _gsq_v1_AllowTokenResponse>;
  
  /**
   * Returns a backup of all stored data, as lines of JSON with a header and a footer (docs/operations.md). The backup
   * contains every server and token that was acknowledged before the call, and the key that hashes tokens. It contains
   * the credentials of servers in encrypted form, but not the key that encrypts them.
   */
  Backup: grpc.handleServerStreamingCall<_gsq_v1_BackupRequest__Output, _gsq_v1_BackupResponse>;
  
  /**
   * Checks servers as AddServers does, but inserts nothing and changes nothing.
   */
  CheckServers: grpc.handleUnaryCall<_gsq_v1_CheckServersRequest__Output, _gsq_v1_CheckServersResponse>;
  
  /**
   * Creates a token. Only this response contains the secret of the token; gsq stores only a hash of it.
   */
  CreateToken: grpc.handleUnaryCall<_gsq_v1_CreateTokenRequest__Output, _gsq_v1_CreateTokenResponse>;
  
  /**
   * Changes the expiry time of a token. An expired token becomes valid again.
   */
  ExpireToken: grpc.handleUnaryCall<_gsq_v1_ExpireTokenRequest__Output, _gsq_v1_ExpireTokenResponse>;
  
  GetStats: grpc.handleUnaryCall<_gsq_v1_GetStatsRequest__Output, _gsq_v1_GetStatsResponse>;
  
  /**
   * Returns a token. GetToken, RotateToken, AllowToken and ExpireToken fail with NOT_FOUND if the token does not exist.
   */
  GetToken: grpc.handleUnaryCall<_gsq_v1_GetTokenRequest__Output, _gsq_v1_GetTokenResponse>;
  
  /**
   * Lists servers publicly, or ends this. If GSQ_PAGE_SERVERS is `listed`, callers without a token see only these servers.
   */
  ListPublicly: grpc.handleUnaryCall<_gsq_v1_ListPubliclyRequest__Output, _gsq_v1_ListPubliclyResponse>;
  
  /**
   * Returns a page of tracked servers, sorted by game_id and address.
   */
  ListServers: grpc.handleUnaryCall<_gsq_v1_ListServersRequest__Output, _gsq_v1_ListServersResponse>;
  
  ListTokens: grpc.handleUnaryCall<_gsq_v1_ListTokensRequest__Output, _gsq_v1_ListTokensResponse>;
  
  /**
   * Removes servers and their data.
   */
  RemoveServers: grpc.handleUnaryCall<_gsq_v1_RemoveServersRequest__Output, _gsq_v1_RemoveServersResponse>;
  
  /**
   * Revokes a token. Fails with NOT_FOUND if the token does not exist. Revoking a revoked token is not an error.
   */
  RevokeToken: grpc.handleUnaryCall<_gsq_v1_RevokeTokenRequest__Output, _gsq_v1_RevokeTokenResponse>;
  
  /**
   * Gives a token a new secret. Only this response contains the new secret. The previous secret stays valid for a grace
   * period.
   */
  RotateToken: grpc.handleUnaryCall<_gsq_v1_RotateTokenRequest__Output, _gsq_v1_RotateTokenResponse>;
  
}

export interface AdminServiceDefinition extends grpc.ServiceDefinition {
  AddServers: MethodDefinition<_gsq_v1_AddServersRequest, _gsq_v1_AddServersResponse, _gsq_v1_AddServersRequest__Output, _gsq_v1_AddServersResponse__Output>
  AllowToken: MethodDefinition<_gsq_v1_AllowTokenRequest, _gsq_v1_AllowTokenResponse, _gsq_v1_AllowTokenRequest__Output, _gsq_v1_AllowTokenResponse__Output>
  Backup: MethodDefinition<_gsq_v1_BackupRequest, _gsq_v1_BackupResponse, _gsq_v1_BackupRequest__Output, _gsq_v1_BackupResponse__Output>
  CheckServers: MethodDefinition<_gsq_v1_CheckServersRequest, _gsq_v1_CheckServersResponse, _gsq_v1_CheckServersRequest__Output, _gsq_v1_CheckServersResponse__Output>
  CreateToken: MethodDefinition<_gsq_v1_CreateTokenRequest, _gsq_v1_CreateTokenResponse, _gsq_v1_CreateTokenRequest__Output, _gsq_v1_CreateTokenResponse__Output>
  ExpireToken: MethodDefinition<_gsq_v1_ExpireTokenRequest, _gsq_v1_ExpireTokenResponse, _gsq_v1_ExpireTokenRequest__Output, _gsq_v1_ExpireTokenResponse__Output>
  GetStats: MethodDefinition<_gsq_v1_GetStatsRequest, _gsq_v1_GetStatsResponse, _gsq_v1_GetStatsRequest__Output, _gsq_v1_GetStatsResponse__Output>
  GetToken: MethodDefinition<_gsq_v1_GetTokenRequest, _gsq_v1_GetTokenResponse, _gsq_v1_GetTokenRequest__Output, _gsq_v1_GetTokenResponse__Output>
  ListPublicly: MethodDefinition<_gsq_v1_ListPubliclyRequest, _gsq_v1_ListPubliclyResponse, _gsq_v1_ListPubliclyRequest__Output, _gsq_v1_ListPubliclyResponse__Output>
  ListServers: MethodDefinition<_gsq_v1_ListServersRequest, _gsq_v1_ListServersResponse, _gsq_v1_ListServersRequest__Output, _gsq_v1_ListServersResponse__Output>
  ListTokens: MethodDefinition<_gsq_v1_ListTokensRequest, _gsq_v1_ListTokensResponse, _gsq_v1_ListTokensRequest__Output, _gsq_v1_ListTokensResponse__Output>
  RemoveServers: MethodDefinition<_gsq_v1_RemoveServersRequest, _gsq_v1_RemoveServersResponse, _gsq_v1_RemoveServersRequest__Output, _gsq_v1_RemoveServersResponse__Output>
  RevokeToken: MethodDefinition<_gsq_v1_RevokeTokenRequest, _gsq_v1_RevokeTokenResponse, _gsq_v1_RevokeTokenRequest__Output, _gsq_v1_RevokeTokenResponse__Output>
  RotateToken: MethodDefinition<_gsq_v1_RotateTokenRequest, _gsq_v1_RotateTokenResponse, _gsq_v1_RotateTokenRequest__Output, _gsq_v1_RotateTokenResponse__Output>
}
