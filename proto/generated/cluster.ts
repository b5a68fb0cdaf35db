import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { CustomHttpPattern as _google_api_CustomHttpPattern, CustomHttpPattern__Output as _google_api_CustomHttpPattern__Output } from './google/api/CustomHttpPattern.ts';
import type { Http as _google_api_Http, Http__Output as _google_api_Http__Output } from './google/api/Http.ts';
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from './google/api/HttpBody.ts';
import type { HttpRule as _google_api_HttpRule, HttpRule__Output as _google_api_HttpRule__Output } from './google/api/HttpRule.ts';
import type { Any as _google_protobuf_Any, Any__Output as _google_protobuf_Any__Output } from './google/protobuf/Any.ts';
import type { DescriptorProto as _google_protobuf_DescriptorProto, DescriptorProto__Output as _google_protobuf_DescriptorProto__Output } from './google/protobuf/DescriptorProto.ts';
import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from './google/protobuf/Duration.ts';
import type { EnumDescriptorProto as _google_protobuf_EnumDescriptorProto, EnumDescriptorProto__Output as _google_protobuf_EnumDescriptorProto__Output } from './google/protobuf/EnumDescriptorProto.ts';
import type { EnumOptions as _google_protobuf_EnumOptions, EnumOptions__Output as _google_protobuf_EnumOptions__Output } from './google/protobuf/EnumOptions.ts';
import type { EnumValueDescriptorProto as _google_protobuf_EnumValueDescriptorProto, EnumValueDescriptorProto__Output as _google_protobuf_EnumValueDescriptorProto__Output } from './google/protobuf/EnumValueDescriptorProto.ts';
import type { EnumValueOptions as _google_protobuf_EnumValueOptions, EnumValueOptions__Output as _google_protobuf_EnumValueOptions__Output } from './google/protobuf/EnumValueOptions.ts';
import type { ExtensionRangeOptions as _google_protobuf_ExtensionRangeOptions, ExtensionRangeOptions__Output as _google_protobuf_ExtensionRangeOptions__Output } from './google/protobuf/ExtensionRangeOptions.ts';
import type { FeatureSet as _google_protobuf_FeatureSet, FeatureSet__Output as _google_protobuf_FeatureSet__Output } from './google/protobuf/FeatureSet.ts';
import type { FeatureSetDefaults as _google_protobuf_FeatureSetDefaults, FeatureSetDefaults__Output as _google_protobuf_FeatureSetDefaults__Output } from './google/protobuf/FeatureSetDefaults.ts';
import type { FieldDescriptorProto as _google_protobuf_FieldDescriptorProto, FieldDescriptorProto__Output as _google_protobuf_FieldDescriptorProto__Output } from './google/protobuf/FieldDescriptorProto.ts';
import type { FieldOptions as _google_protobuf_FieldOptions, FieldOptions__Output as _google_protobuf_FieldOptions__Output } from './google/protobuf/FieldOptions.ts';
import type { FileDescriptorProto as _google_protobuf_FileDescriptorProto, FileDescriptorProto__Output as _google_protobuf_FileDescriptorProto__Output } from './google/protobuf/FileDescriptorProto.ts';
import type { FileDescriptorSet as _google_protobuf_FileDescriptorSet, FileDescriptorSet__Output as _google_protobuf_FileDescriptorSet__Output } from './google/protobuf/FileDescriptorSet.ts';
import type { FileOptions as _google_protobuf_FileOptions, FileOptions__Output as _google_protobuf_FileOptions__Output } from './google/protobuf/FileOptions.ts';
import type { GeneratedCodeInfo as _google_protobuf_GeneratedCodeInfo, GeneratedCodeInfo__Output as _google_protobuf_GeneratedCodeInfo__Output } from './google/protobuf/GeneratedCodeInfo.ts';
import type { MessageOptions as _google_protobuf_MessageOptions, MessageOptions__Output as _google_protobuf_MessageOptions__Output } from './google/protobuf/MessageOptions.ts';
import type { MethodDescriptorProto as _google_protobuf_MethodDescriptorProto, MethodDescriptorProto__Output as _google_protobuf_MethodDescriptorProto__Output } from './google/protobuf/MethodDescriptorProto.ts';
import type { MethodOptions as _google_protobuf_MethodOptions, MethodOptions__Output as _google_protobuf_MethodOptions__Output } from './google/protobuf/MethodOptions.ts';
import type { OneofDescriptorProto as _google_protobuf_OneofDescriptorProto, OneofDescriptorProto__Output as _google_protobuf_OneofDescriptorProto__Output } from './google/protobuf/OneofDescriptorProto.ts';
import type { OneofOptions as _google_protobuf_OneofOptions, OneofOptions__Output as _google_protobuf_OneofOptions__Output } from './google/protobuf/OneofOptions.ts';
import type { ServiceDescriptorProto as _google_protobuf_ServiceDescriptorProto, ServiceDescriptorProto__Output as _google_protobuf_ServiceDescriptorProto__Output } from './google/protobuf/ServiceDescriptorProto.ts';
import type { ServiceOptions as _google_protobuf_ServiceOptions, ServiceOptions__Output as _google_protobuf_ServiceOptions__Output } from './google/protobuf/ServiceOptions.ts';
import type { SourceCodeInfo as _google_protobuf_SourceCodeInfo, SourceCodeInfo__Output as _google_protobuf_SourceCodeInfo__Output } from './google/protobuf/SourceCodeInfo.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';
import type { UninterpretedOption as _google_protobuf_UninterpretedOption, UninterpretedOption__Output as _google_protobuf_UninterpretedOption__Output } from './google/protobuf/UninterpretedOption.ts';
import type { Status as _google_rpc_Status, Status__Output as _google_rpc_Status__Output } from './google/rpc/Status.ts';
import type { AccessChange as _gsq_v1_AccessChange, AccessChange__Output as _gsq_v1_AccessChange__Output } from './gsq/v1/AccessChange.ts';
import type { AccountEntry as _gsq_v1_AccountEntry, AccountEntry__Output as _gsq_v1_AccountEntry__Output } from './gsq/v1/AccountEntry.ts';
import type { AddServersRequest as _gsq_v1_AddServersRequest, AddServersRequest__Output as _gsq_v1_AddServersRequest__Output } from './gsq/v1/AddServersRequest.ts';
import type { AddServersResponse as _gsq_v1_AddServersResponse, AddServersResponse__Output as _gsq_v1_AddServersResponse__Output } from './gsq/v1/AddServersResponse.ts';
import type { AdminServiceClient as _gsq_v1_AdminServiceClient, AdminServiceDefinition as _gsq_v1_AdminServiceDefinition } from './gsq/v1/AdminService.ts';
import type { AllowList as _gsq_v1_AllowList, AllowList__Output as _gsq_v1_AllowList__Output } from './gsq/v1/AllowList.ts';
import type { AllowTokenRequest as _gsq_v1_AllowTokenRequest, AllowTokenRequest__Output as _gsq_v1_AllowTokenRequest__Output } from './gsq/v1/AllowTokenRequest.ts';
import type { AllowTokenResponse as _gsq_v1_AllowTokenResponse, AllowTokenResponse__Output as _gsq_v1_AllowTokenResponse__Output } from './gsq/v1/AllowTokenResponse.ts';
import type { Allowance as _gsq_v1_Allowance, Allowance__Output as _gsq_v1_Allowance__Output } from './gsq/v1/Allowance.ts';
import type { BackupRequest as _gsq_v1_BackupRequest, BackupRequest__Output as _gsq_v1_BackupRequest__Output } from './gsq/v1/BackupRequest.ts';
import type { BackupResponse as _gsq_v1_BackupResponse, BackupResponse__Output as _gsq_v1_BackupResponse__Output } from './gsq/v1/BackupResponse.ts';
import type { CallAccount as _gsq_v1_CallAccount, CallAccount__Output as _gsq_v1_CallAccount__Output } from './gsq/v1/CallAccount.ts';
import type { Caller as _gsq_v1_Caller, Caller__Output as _gsq_v1_Caller__Output } from './gsq/v1/Caller.ts';
import type { ChangeServersRequest as _gsq_v1_ChangeServersRequest, ChangeServersRequest__Output as _gsq_v1_ChangeServersRequest__Output } from './gsq/v1/ChangeServersRequest.ts';
import type { ChangeServersResponse as _gsq_v1_ChangeServersResponse, ChangeServersResponse__Output as _gsq_v1_ChangeServersResponse__Output } from './gsq/v1/ChangeServersResponse.ts';
import type { ChangedServer as _gsq_v1_ChangedServer, ChangedServer__Output as _gsq_v1_ChangedServer__Output } from './gsq/v1/ChangedServer.ts';
import type { ChargeTokensRequest as _gsq_v1_ChargeTokensRequest, ChargeTokensRequest__Output as _gsq_v1_ChargeTokensRequest__Output } from './gsq/v1/ChargeTokensRequest.ts';
import type { ChargeTokensResponse as _gsq_v1_ChargeTokensResponse, ChargeTokensResponse__Output as _gsq_v1_ChargeTokensResponse__Output } from './gsq/v1/ChargeTokensResponse.ts';
import type { CheckAccess as _gsq_v1_CheckAccess, CheckAccess__Output as _gsq_v1_CheckAccess__Output } from './gsq/v1/CheckAccess.ts';
import type { CheckServersRequest as _gsq_v1_CheckServersRequest, CheckServersRequest__Output as _gsq_v1_CheckServersRequest__Output } from './gsq/v1/CheckServersRequest.ts';
import type { CheckServersResponse as _gsq_v1_CheckServersResponse, CheckServersResponse__Output as _gsq_v1_CheckServersResponse__Output } from './gsq/v1/CheckServersResponse.ts';
import type { CheckedAccess as _gsq_v1_CheckedAccess, CheckedAccess__Output as _gsq_v1_CheckedAccess__Output } from './gsq/v1/CheckedAccess.ts';
import type { ClusterMember as _gsq_v1_ClusterMember, ClusterMember__Output as _gsq_v1_ClusterMember__Output } from './gsq/v1/ClusterMember.ts';
import type { ClusterServiceClient as _gsq_v1_ClusterServiceClient, ClusterServiceDefinition as _gsq_v1_ClusterServiceDefinition } from './gsq/v1/ClusterService.ts';
import type { CountPartRequest as _gsq_v1_CountPartRequest, CountPartRequest__Output as _gsq_v1_CountPartRequest__Output } from './gsq/v1/CountPartRequest.ts';
import type { CountPartResponse as _gsq_v1_CountPartResponse, CountPartResponse__Output as _gsq_v1_CountPartResponse__Output } from './gsq/v1/CountPartResponse.ts';
import type { CreateTokenRequest as _gsq_v1_CreateTokenRequest, CreateTokenRequest__Output as _gsq_v1_CreateTokenRequest__Output } from './gsq/v1/CreateTokenRequest.ts';
import type { CreateTokenResponse as _gsq_v1_CreateTokenResponse, CreateTokenResponse__Output as _gsq_v1_CreateTokenResponse__Output } from './gsq/v1/CreateTokenResponse.ts';
import type { Credentials as _gsq_v1_Credentials, Credentials__Output as _gsq_v1_Credentials__Output } from './gsq/v1/Credentials.ts';
import type { ExpireTokenRequest as _gsq_v1_ExpireTokenRequest, ExpireTokenRequest__Output as _gsq_v1_ExpireTokenRequest__Output } from './gsq/v1/ExpireTokenRequest.ts';
import type { ExpireTokenResponse as _gsq_v1_ExpireTokenResponse, ExpireTokenResponse__Output as _gsq_v1_ExpireTokenResponse__Output } from './gsq/v1/ExpireTokenResponse.ts';
import type { FetchCall as _gsq_v1_FetchCall, FetchCall__Output as _gsq_v1_FetchCall__Output } from './gsq/v1/FetchCall.ts';
import type { FetchMeta as _gsq_v1_FetchMeta, FetchMeta__Output as _gsq_v1_FetchMeta__Output } from './gsq/v1/FetchMeta.ts';
import type { FetchPartsRequest as _gsq_v1_FetchPartsRequest, FetchPartsRequest__Output as _gsq_v1_FetchPartsRequest__Output } from './gsq/v1/FetchPartsRequest.ts';
import type { FetchPartsResponse as _gsq_v1_FetchPartsResponse, FetchPartsResponse__Output as _gsq_v1_FetchPartsResponse__Output } from './gsq/v1/FetchPartsResponse.ts';
import type { FetchReply as _gsq_v1_FetchReply, FetchReply__Output as _gsq_v1_FetchReply__Output } from './gsq/v1/FetchReply.ts';
import type { FetchServersRequest as _gsq_v1_FetchServersRequest, FetchServersRequest__Output as _gsq_v1_FetchServersRequest__Output } from './gsq/v1/FetchServersRequest.ts';
import type { FetchServersResponse as _gsq_v1_FetchServersResponse, FetchServersResponse__Output as _gsq_v1_FetchServersResponse__Output } from './gsq/v1/FetchServersResponse.ts';
import type { FetchStreamRequest as _gsq_v1_FetchStreamRequest, FetchStreamRequest__Output as _gsq_v1_FetchStreamRequest__Output } from './gsq/v1/FetchStreamRequest.ts';
import type { FetchStreamResponse as _gsq_v1_FetchStreamResponse, FetchStreamResponse__Output as _gsq_v1_FetchStreamResponse__Output } from './gsq/v1/FetchStreamResponse.ts';
import type { FollowAccountsRequest as _gsq_v1_FollowAccountsRequest, FollowAccountsRequest__Output as _gsq_v1_FollowAccountsRequest__Output } from './gsq/v1/FollowAccountsRequest.ts';
import type { FollowAccountsResponse as _gsq_v1_FollowAccountsResponse, FollowAccountsResponse__Output as _gsq_v1_FollowAccountsResponse__Output } from './gsq/v1/FollowAccountsResponse.ts';
import type { FollowChangesRequest as _gsq_v1_FollowChangesRequest, FollowChangesRequest__Output as _gsq_v1_FollowChangesRequest__Output } from './gsq/v1/FollowChangesRequest.ts';
import type { FollowChangesResponse as _gsq_v1_FollowChangesResponse, FollowChangesResponse__Output as _gsq_v1_FollowChangesResponse__Output } from './gsq/v1/FollowChangesResponse.ts';
import type { FoundServer as _gsq_v1_FoundServer, FoundServer__Output as _gsq_v1_FoundServer__Output } from './gsq/v1/FoundServer.ts';
import type { GameCount as _gsq_v1_GameCount, GameCount__Output as _gsq_v1_GameCount__Output } from './gsq/v1/GameCount.ts';
import type { GameSummary as _gsq_v1_GameSummary, GameSummary__Output as _gsq_v1_GameSummary__Output } from './gsq/v1/GameSummary.ts';
import type { GetPartStatsRequest as _gsq_v1_GetPartStatsRequest, GetPartStatsRequest__Output as _gsq_v1_GetPartStatsRequest__Output } from './gsq/v1/GetPartStatsRequest.ts';
import type { GetPartStatsResponse as _gsq_v1_GetPartStatsResponse, GetPartStatsResponse__Output as _gsq_v1_GetPartStatsResponse__Output } from './gsq/v1/GetPartStatsResponse.ts';
import type { GetServerRequest as _gsq_v1_GetServerRequest, GetServerRequest__Output as _gsq_v1_GetServerRequest__Output } from './gsq/v1/GetServerRequest.ts';
import type { GetServerResponse as _gsq_v1_GetServerResponse, GetServerResponse__Output as _gsq_v1_GetServerResponse__Output } from './gsq/v1/GetServerResponse.ts';
import type { GetStatsRequest as _gsq_v1_GetStatsRequest, GetStatsRequest__Output as _gsq_v1_GetStatsRequest__Output } from './gsq/v1/GetStatsRequest.ts';
import type { GetStatsResponse as _gsq_v1_GetStatsResponse, GetStatsResponse__Output as _gsq_v1_GetStatsResponse__Output } from './gsq/v1/GetStatsResponse.ts';
import type { GetStatusRequest as _gsq_v1_GetStatusRequest, GetStatusRequest__Output as _gsq_v1_GetStatusRequest__Output } from './gsq/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _gsq_v1_GetStatusResponse, GetStatusResponse__Output as _gsq_v1_GetStatusResponse__Output } from './gsq/v1/GetStatusResponse.ts';
import type { GetSummaryRequest as _gsq_v1_GetSummaryRequest, GetSummaryRequest__Output as _gsq_v1_GetSummaryRequest__Output } from './gsq/v1/GetSummaryRequest.ts';
import type { GetSummaryResponse as _gsq_v1_GetSummaryResponse, GetSummaryResponse__Output as _gsq_v1_GetSummaryResponse__Output } from './gsq/v1/GetSummaryResponse.ts';
import type { GetTokenRequest as _gsq_v1_GetTokenRequest, GetTokenRequest__Output as _gsq_v1_GetTokenRequest__Output } from './gsq/v1/GetTokenRequest.ts';
import type { GetTokenResponse as _gsq_v1_GetTokenResponse, GetTokenResponse__Output as _gsq_v1_GetTokenResponse__Output } from './gsq/v1/GetTokenResponse.ts';
import type { Heartbeat as _gsq_v1_Heartbeat, Heartbeat__Output as _gsq_v1_Heartbeat__Output } from './gsq/v1/Heartbeat.ts';
import type { HistoryDirectories as _gsq_v1_HistoryDirectories, HistoryDirectories__Output as _gsq_v1_HistoryDirectories__Output } from './gsq/v1/HistoryDirectories.ts';
import type { HistoryDirectory as _gsq_v1_HistoryDirectory, HistoryDirectory__Output as _gsq_v1_HistoryDirectory__Output } from './gsq/v1/HistoryDirectory.ts';
import type { HistoryEntry as _gsq_v1_HistoryEntry, HistoryEntry__Output as _gsq_v1_HistoryEntry__Output } from './gsq/v1/HistoryEntry.ts';
import type { HistoryPosition as _gsq_v1_HistoryPosition, HistoryPosition__Output as _gsq_v1_HistoryPosition__Output } from './gsq/v1/HistoryPosition.ts';
import type { InvalidServer as _gsq_v1_InvalidServer, InvalidServer__Output as _gsq_v1_InvalidServer__Output } from './gsq/v1/InvalidServer.ts';
import type { JsonCall as _gsq_v1_JsonCall, JsonCall__Output as _gsq_v1_JsonCall__Output } from './gsq/v1/JsonCall.ts';
import type { JsonReply as _gsq_v1_JsonReply, JsonReply__Output as _gsq_v1_JsonReply__Output } from './gsq/v1/JsonReply.ts';
import type { JsonStreamRequest as _gsq_v1_JsonStreamRequest, JsonStreamRequest__Output as _gsq_v1_JsonStreamRequest__Output } from './gsq/v1/JsonStreamRequest.ts';
import type { JsonStreamResponse as _gsq_v1_JsonStreamResponse, JsonStreamResponse__Output as _gsq_v1_JsonStreamResponse__Output } from './gsq/v1/JsonStreamResponse.ts';
import type { LabelCount as _gsq_v1_LabelCount, LabelCount__Output as _gsq_v1_LabelCount__Output } from './gsq/v1/LabelCount.ts';
import type { ListPubliclyRequest as _gsq_v1_ListPubliclyRequest, ListPubliclyRequest__Output as _gsq_v1_ListPubliclyRequest__Output } from './gsq/v1/ListPubliclyRequest.ts';
import type { ListPubliclyResponse as _gsq_v1_ListPubliclyResponse, ListPubliclyResponse__Output as _gsq_v1_ListPubliclyResponse__Output } from './gsq/v1/ListPubliclyResponse.ts';
import type { ListServersRequest as _gsq_v1_ListServersRequest, ListServersRequest__Output as _gsq_v1_ListServersRequest__Output } from './gsq/v1/ListServersRequest.ts';
import type { ListServersResponse as _gsq_v1_ListServersResponse, ListServersResponse__Output as _gsq_v1_ListServersResponse__Output } from './gsq/v1/ListServersResponse.ts';
import type { ListTokensRequest as _gsq_v1_ListTokensRequest, ListTokensRequest__Output as _gsq_v1_ListTokensRequest__Output } from './gsq/v1/ListTokensRequest.ts';
import type { ListTokensResponse as _gsq_v1_ListTokensResponse, ListTokensResponse__Output as _gsq_v1_ListTokensResponse__Output } from './gsq/v1/ListTokensResponse.ts';
import type { MetadataEntry as _gsq_v1_MetadataEntry, MetadataEntry__Output as _gsq_v1_MetadataEntry__Output } from './gsq/v1/MetadataEntry.ts';
import type { MoveStoreRequest as _gsq_v1_MoveStoreRequest, MoveStoreRequest__Output as _gsq_v1_MoveStoreRequest__Output } from './gsq/v1/MoveStoreRequest.ts';
import type { MoveStoreResponse as _gsq_v1_MoveStoreResponse, MoveStoreResponse__Output as _gsq_v1_MoveStoreResponse__Output } from './gsq/v1/MoveStoreResponse.ts';
import type { MovedStore as _gsq_v1_MovedStore, MovedStore__Output as _gsq_v1_MovedStore__Output } from './gsq/v1/MovedStore.ts';
import type { PartCall as _gsq_v1_PartCall, PartCall__Output as _gsq_v1_PartCall__Output } from './gsq/v1/PartCall.ts';
import type { PartReply as _gsq_v1_PartReply, PartReply__Output as _gsq_v1_PartReply__Output } from './gsq/v1/PartReply.ts';
import type { PartServer as _gsq_v1_PartServer, PartServer__Output as _gsq_v1_PartServer__Output } from './gsq/v1/PartServer.ts';
import type { Player as _gsq_v1_Player, Player__Output as _gsq_v1_Player__Output } from './gsq/v1/Player.ts';
import type { RemoveServersRequest as _gsq_v1_RemoveServersRequest, RemoveServersRequest__Output as _gsq_v1_RemoveServersRequest__Output } from './gsq/v1/RemoveServersRequest.ts';
import type { RemoveServersResponse as _gsq_v1_RemoveServersResponse, RemoveServersResponse__Output as _gsq_v1_RemoveServersResponse__Output } from './gsq/v1/RemoveServersResponse.ts';
import type { RenderServersRequest as _gsq_v1_RenderServersRequest, RenderServersRequest__Output as _gsq_v1_RenderServersRequest__Output } from './gsq/v1/RenderServersRequest.ts';
import type { RenderServersResponse as _gsq_v1_RenderServersResponse, RenderServersResponse__Output as _gsq_v1_RenderServersResponse__Output } from './gsq/v1/RenderServersResponse.ts';
import type { RenderedFetch as _gsq_v1_RenderedFetch, RenderedFetch__Output as _gsq_v1_RenderedFetch__Output } from './gsq/v1/RenderedFetch.ts';
import type { RevokeTokenRequest as _gsq_v1_RevokeTokenRequest, RevokeTokenRequest__Output as _gsq_v1_RevokeTokenRequest__Output } from './gsq/v1/RevokeTokenRequest.ts';
import type { RevokeTokenResponse as _gsq_v1_RevokeTokenResponse, RevokeTokenResponse__Output as _gsq_v1_RevokeTokenResponse__Output } from './gsq/v1/RevokeTokenResponse.ts';
import type { RotateTokenRequest as _gsq_v1_RotateTokenRequest, RotateTokenRequest__Output as _gsq_v1_RotateTokenRequest__Output } from './gsq/v1/RotateTokenRequest.ts';
import type { RotateTokenResponse as _gsq_v1_RotateTokenResponse, RotateTokenResponse__Output as _gsq_v1_RotateTokenResponse__Output } from './gsq/v1/RotateTokenResponse.ts';
import type { SearchPartRequest as _gsq_v1_SearchPartRequest, SearchPartRequest__Output as _gsq_v1_SearchPartRequest__Output } from './gsq/v1/SearchPartRequest.ts';
import type { SearchPartResponse as _gsq_v1_SearchPartResponse, SearchPartResponse__Output as _gsq_v1_SearchPartResponse__Output } from './gsq/v1/SearchPartResponse.ts';
import type { SearchPosition as _gsq_v1_SearchPosition, SearchPosition__Output as _gsq_v1_SearchPosition__Output } from './gsq/v1/SearchPosition.ts';
import type { SearchScope as _gsq_v1_SearchScope, SearchScope__Output as _gsq_v1_SearchScope__Output } from './gsq/v1/SearchScope.ts';
import type { ServerAccess as _gsq_v1_ServerAccess, ServerAccess__Output as _gsq_v1_ServerAccess__Output } from './gsq/v1/ServerAccess.ts';
import type { ServerChange as _gsq_v1_ServerChange, ServerChange__Output as _gsq_v1_ServerChange__Output } from './gsq/v1/ServerChange.ts';
import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from './gsq/v1/ServerGroup.ts';
import type { ServerOption as _gsq_v1_ServerOption, ServerOption__Output as _gsq_v1_ServerOption__Output } from './gsq/v1/ServerOption.ts';
import type { ServerPayload as _gsq_v1_ServerPayload, ServerPayload__Output as _gsq_v1_ServerPayload__Output } from './gsq/v1/ServerPayload.ts';
import type { ServerRef as _gsq_v1_ServerRef, ServerRef__Output as _gsq_v1_ServerRef__Output } from './gsq/v1/ServerRef.ts';
import type { ServerResult as _gsq_v1_ServerResult, ServerResult__Output as _gsq_v1_ServerResult__Output } from './gsq/v1/ServerResult.ts';
import type { ServerServiceClient as _gsq_v1_ServerServiceClient, ServerServiceDefinition as _gsq_v1_ServerServiceDefinition } from './gsq/v1/ServerService.ts';
import type { ServerServiceListServersRequest as _gsq_v1_ServerServiceListServersRequest, ServerServiceListServersRequest__Output as _gsq_v1_ServerServiceListServersRequest__Output } from './gsq/v1/ServerServiceListServersRequest.ts';
import type { ServerServiceListServersResponse as _gsq_v1_ServerServiceListServersResponse, ServerServiceListServersResponse__Output as _gsq_v1_ServerServiceListServersResponse__Output } from './gsq/v1/ServerServiceListServersResponse.ts';
import type { Stale as _gsq_v1_Stale, Stale__Output as _gsq_v1_Stale__Output } from './gsq/v1/Stale.ts';
import type { StoreDigest as _gsq_v1_StoreDigest, StoreDigest__Output as _gsq_v1_StoreDigest__Output } from './gsq/v1/StoreDigest.ts';
import type { StoreEntry as _gsq_v1_StoreEntry, StoreEntry__Output as _gsq_v1_StoreEntry__Output } from './gsq/v1/StoreEntry.ts';
import type { StoreKeys as _gsq_v1_StoreKeys, StoreKeys__Output as _gsq_v1_StoreKeys__Output } from './gsq/v1/StoreKeys.ts';
import type { StoreState as _gsq_v1_StoreState, StoreState__Output as _gsq_v1_StoreState__Output } from './gsq/v1/StoreState.ts';
import type { Token as _gsq_v1_Token, Token__Output as _gsq_v1_Token__Output } from './gsq/v1/Token.ts';
import type { TokenUse as _gsq_v1_TokenUse, TokenUse__Output as _gsq_v1_TokenUse__Output } from './gsq/v1/TokenUse.ts';
import type { Updater as _gsq_v1_Updater, Updater__Output as _gsq_v1_Updater__Output } from './gsq/v1/Updater.ts';
import type { WatchMembersRequest as _gsq_v1_WatchMembersRequest, WatchMembersRequest__Output as _gsq_v1_WatchMembersRequest__Output } from './gsq/v1/WatchMembersRequest.ts';
import type { WatchMembersResponse as _gsq_v1_WatchMembersResponse, WatchMembersResponse__Output as _gsq_v1_WatchMembersResponse__Output } from './gsq/v1/WatchMembersResponse.ts';
import type { WatchServersJsonRequest as _gsq_v1_WatchServersJsonRequest, WatchServersJsonRequest__Output as _gsq_v1_WatchServersJsonRequest__Output } from './gsq/v1/WatchServersJsonRequest.ts';
import type { WatchServersRequest as _gsq_v1_WatchServersRequest, WatchServersRequest__Output as _gsq_v1_WatchServersRequest__Output } from './gsq/v1/WatchServersRequest.ts';
import type { WatchServersResponse as _gsq_v1_WatchServersResponse, WatchServersResponse__Output as _gsq_v1_WatchServersResponse__Output } from './gsq/v1/WatchServersResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    api: {
      CustomHttpPattern: MessageTypeDefinition<_google_api_CustomHttpPattern, _google_api_CustomHttpPattern__Output>
      Http: MessageTypeDefinition<_google_api_Http, _google_api_Http__Output>
      HttpBody: MessageTypeDefinition<_google_api_HttpBody, _google_api_HttpBody__Output>
      HttpRule: MessageTypeDefinition<_google_api_HttpRule, _google_api_HttpRule__Output>
    }
    protobuf: {
      Any: MessageTypeDefinition<_google_protobuf_Any, _google_protobuf_Any__Output>
      DescriptorProto: MessageTypeDefinition<_google_protobuf_DescriptorProto, _google_protobuf_DescriptorProto__Output>
      Duration: MessageTypeDefinition<_google_protobuf_Duration, _google_protobuf_Duration__Output>
      Edition: EnumTypeDefinition
      EnumDescriptorProto: MessageTypeDefinition<_google_protobuf_EnumDescriptorProto, _google_protobuf_EnumDescriptorProto__Output>
      EnumOptions: MessageTypeDefinition<_google_protobuf_EnumOptions, _google_protobuf_EnumOptions__Output>
      EnumValueDescriptorProto: MessageTypeDefinition<_google_protobuf_EnumValueDescriptorProto, _google_protobuf_EnumValueDescriptorProto__Output>
      EnumValueOptions: MessageTypeDefinition<_google_protobuf_EnumValueOptions, _google_protobuf_EnumValueOptions__Output>
      ExtensionRangeOptions: MessageTypeDefinition<_google_protobuf_ExtensionRangeOptions, _google_protobuf_ExtensionRangeOptions__Output>
      FeatureSet: MessageTypeDefinition<_google_protobuf_FeatureSet, _google_protobuf_FeatureSet__Output>
      FeatureSetDefaults: MessageTypeDefinition<_google_protobuf_FeatureSetDefaults, _google_protobuf_FeatureSetDefaults__Output>
      FieldDescriptorProto: MessageTypeDefinition<_google_protobuf_FieldDescriptorProto, _google_protobuf_FieldDescriptorProto__Output>
      FieldOptions: MessageTypeDefinition<_google_protobuf_FieldOptions, _google_protobuf_FieldOptions__Output>
      FileDescriptorProto: MessageTypeDefinition<_google_protobuf_FileDescriptorProto, _google_protobuf_FileDescriptorProto__Output>
      FileDescriptorSet: MessageTypeDefinition<_google_protobuf_FileDescriptorSet, _google_protobuf_FileDescriptorSet__Output>
      FileOptions: MessageTypeDefinition<_google_protobuf_FileOptions, _google_protobuf_FileOptions__Output>
      GeneratedCodeInfo: MessageTypeDefinition<_google_protobuf_GeneratedCodeInfo, _google_protobuf_GeneratedCodeInfo__Output>
      MessageOptions: MessageTypeDefinition<_google_protobuf_MessageOptions, _google_protobuf_MessageOptions__Output>
      MethodDescriptorProto: MessageTypeDefinition<_google_protobuf_MethodDescriptorProto, _google_protobuf_MethodDescriptorProto__Output>
      MethodOptions: MessageTypeDefinition<_google_protobuf_MethodOptions, _google_protobuf_MethodOptions__Output>
      OneofDescriptorProto: MessageTypeDefinition<_google_protobuf_OneofDescriptorProto, _google_protobuf_OneofDescriptorProto__Output>
      OneofOptions: MessageTypeDefinition<_google_protobuf_OneofOptions, _google_protobuf_OneofOptions__Output>
      ServiceDescriptorProto: MessageTypeDefinition<_google_protobuf_ServiceDescriptorProto, _google_protobuf_ServiceDescriptorProto__Output>
      ServiceOptions: MessageTypeDefinition<_google_protobuf_ServiceOptions, _google_protobuf_ServiceOptions__Output>
      SourceCodeInfo: MessageTypeDefinition<_google_protobuf_SourceCodeInfo, _google_protobuf_SourceCodeInfo__Output>
      SymbolVisibility: EnumTypeDefinition
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
      UninterpretedOption: MessageTypeDefinition<_google_protobuf_UninterpretedOption, _google_protobuf_UninterpretedOption__Output>
    }
    rpc: {
      Status: MessageTypeDefinition<_google_rpc_Status, _google_rpc_Status__Output>
    }
  }
  gsq: {
    v1: {
      AccessChange: MessageTypeDefinition<_gsq_v1_AccessChange, _gsq_v1_AccessChange__Output>
      AccountEntry: MessageTypeDefinition<_gsq_v1_AccountEntry, _gsq_v1_AccountEntry__Output>
      AddServersRequest: MessageTypeDefinition<_gsq_v1_AddServersRequest, _gsq_v1_AddServersRequest__Output>
      AddServersResponse: MessageTypeDefinition<_gsq_v1_AddServersResponse, _gsq_v1_AddServersResponse__Output>
      /**
       * Service for operators. Only the internal port serves it.
       */
      AdminService: SubtypeConstructor<typeof grpc.Client, _gsq_v1_AdminServiceClient> & { service: _gsq_v1_AdminServiceDefinition }
      AllowList: MessageTypeDefinition<_gsq_v1_AllowList, _gsq_v1_AllowList__Output>
      AllowTokenRequest: MessageTypeDefinition<_gsq_v1_AllowTokenRequest, _gsq_v1_AllowTokenRequest__Output>
      AllowTokenResponse: MessageTypeDefinition<_gsq_v1_AllowTokenResponse, _gsq_v1_AllowTokenResponse__Output>
      Allowance: MessageTypeDefinition<_gsq_v1_Allowance, _gsq_v1_Allowance__Output>
      BackupRequest: MessageTypeDefinition<_gsq_v1_BackupRequest, _gsq_v1_BackupRequest__Output>
      BackupResponse: MessageTypeDefinition<_gsq_v1_BackupResponse, _gsq_v1_BackupResponse__Output>
      CallAccount: MessageTypeDefinition<_gsq_v1_CallAccount, _gsq_v1_CallAccount__Output>
      Caller: MessageTypeDefinition<_gsq_v1_Caller, _gsq_v1_Caller__Output>
      ChangeServersRequest: MessageTypeDefinition<_gsq_v1_ChangeServersRequest, _gsq_v1_ChangeServersRequest__Output>
      ChangeServersResponse: MessageTypeDefinition<_gsq_v1_ChangeServersResponse, _gsq_v1_ChangeServersResponse__Output>
      ChangedServer: MessageTypeDefinition<_gsq_v1_ChangedServer, _gsq_v1_ChangedServer__Output>
      ChargeTokensRequest: MessageTypeDefinition<_gsq_v1_ChargeTokensRequest, _gsq_v1_ChargeTokensRequest__Output>
      ChargeTokensResponse: MessageTypeDefinition<_gsq_v1_ChargeTokensResponse, _gsq_v1_ChargeTokensResponse__Output>
      CheckAccess: MessageTypeDefinition<_gsq_v1_CheckAccess, _gsq_v1_CheckAccess__Output>
      CheckServersRequest: MessageTypeDefinition<_gsq_v1_CheckServersRequest, _gsq_v1_CheckServersRequest__Output>
      CheckServersResponse: MessageTypeDefinition<_gsq_v1_CheckServersResponse, _gsq_v1_CheckServersResponse__Output>
      CheckedAccess: MessageTypeDefinition<_gsq_v1_CheckedAccess, _gsq_v1_CheckedAccess__Output>
      ClusterMember: MessageTypeDefinition<_gsq_v1_ClusterMember, _gsq_v1_ClusterMember__Output>
      /**
       * The calls between the cores of one cluster. Each core owns some buckets of servers, and answers these calls only for
       * its own servers. Probers and notifiers call only WatchMembers, and gateways only WatchMembers and JsonStream. Only the
       * internal port offers this service.
       */
      ClusterService: SubtypeConstructor<typeof grpc.Client, _gsq_v1_ClusterServiceClient> & { service: _gsq_v1_ClusterServiceDefinition }
      CountPartRequest: MessageTypeDefinition<_gsq_v1_CountPartRequest, _gsq_v1_CountPartRequest__Output>
      CountPartResponse: MessageTypeDefinition<_gsq_v1_CountPartResponse, _gsq_v1_CountPartResponse__Output>
      CreateTokenRequest: MessageTypeDefinition<_gsq_v1_CreateTokenRequest, _gsq_v1_CreateTokenRequest__Output>
      CreateTokenResponse: MessageTypeDefinition<_gsq_v1_CreateTokenResponse, _gsq_v1_CreateTokenResponse__Output>
      Credentials: MessageTypeDefinition<_gsq_v1_Credentials, _gsq_v1_Credentials__Output>
      ExpireTokenRequest: MessageTypeDefinition<_gsq_v1_ExpireTokenRequest, _gsq_v1_ExpireTokenRequest__Output>
      ExpireTokenResponse: MessageTypeDefinition<_gsq_v1_ExpireTokenResponse, _gsq_v1_ExpireTokenResponse__Output>
      FetchCall: MessageTypeDefinition<_gsq_v1_FetchCall, _gsq_v1_FetchCall__Output>
      FetchMeta: MessageTypeDefinition<_gsq_v1_FetchMeta, _gsq_v1_FetchMeta__Output>
      FetchPartsRequest: MessageTypeDefinition<_gsq_v1_FetchPartsRequest, _gsq_v1_FetchPartsRequest__Output>
      FetchPartsResponse: MessageTypeDefinition<_gsq_v1_FetchPartsResponse, _gsq_v1_FetchPartsResponse__Output>
      FetchReply: MessageTypeDefinition<_gsq_v1_FetchReply, _gsq_v1_FetchReply__Output>
      FetchServersRequest: MessageTypeDefinition<_gsq_v1_FetchServersRequest, _gsq_v1_FetchServersRequest__Output>
      FetchServersResponse: MessageTypeDefinition<_gsq_v1_FetchServersResponse, _gsq_v1_FetchServersResponse__Output>
      FetchStreamRequest: MessageTypeDefinition<_gsq_v1_FetchStreamRequest, _gsq_v1_FetchStreamRequest__Output>
      FetchStreamResponse: MessageTypeDefinition<_gsq_v1_FetchStreamResponse, _gsq_v1_FetchStreamResponse__Output>
      FirewallLabel: EnumTypeDefinition
      FollowAccountsRequest: MessageTypeDefinition<_gsq_v1_FollowAccountsRequest, _gsq_v1_FollowAccountsRequest__Output>
      FollowAccountsResponse: MessageTypeDefinition<_gsq_v1_FollowAccountsResponse, _gsq_v1_FollowAccountsResponse__Output>
      FollowChangesRequest: MessageTypeDefinition<_gsq_v1_FollowChangesRequest, _gsq_v1_FollowChangesRequest__Output>
      FollowChangesResponse: MessageTypeDefinition<_gsq_v1_FollowChangesResponse, _gsq_v1_FollowChangesResponse__Output>
      FoundServer: MessageTypeDefinition<_gsq_v1_FoundServer, _gsq_v1_FoundServer__Output>
      GameCount: MessageTypeDefinition<_gsq_v1_GameCount, _gsq_v1_GameCount__Output>
      GameSummary: MessageTypeDefinition<_gsq_v1_GameSummary, _gsq_v1_GameSummary__Output>
      GetPartStatsRequest: MessageTypeDefinition<_gsq_v1_GetPartStatsRequest, _gsq_v1_GetPartStatsRequest__Output>
      GetPartStatsResponse: MessageTypeDefinition<_gsq_v1_GetPartStatsResponse, _gsq_v1_GetPartStatsResponse__Output>
      GetServerRequest: MessageTypeDefinition<_gsq_v1_GetServerRequest, _gsq_v1_GetServerRequest__Output>
      GetServerResponse: MessageTypeDefinition<_gsq_v1_GetServerResponse, _gsq_v1_GetServerResponse__Output>
      GetStatsRequest: MessageTypeDefinition<_gsq_v1_GetStatsRequest, _gsq_v1_GetStatsRequest__Output>
      GetStatsResponse: MessageTypeDefinition<_gsq_v1_GetStatsResponse, _gsq_v1_GetStatsResponse__Output>
      GetStatusRequest: MessageTypeDefinition<_gsq_v1_GetStatusRequest, _gsq_v1_GetStatusRequest__Output>
      GetStatusResponse: MessageTypeDefinition<_gsq_v1_GetStatusResponse, _gsq_v1_GetStatusResponse__Output>
      GetSummaryRequest: MessageTypeDefinition<_gsq_v1_GetSummaryRequest, _gsq_v1_GetSummaryRequest__Output>
      GetSummaryResponse: MessageTypeDefinition<_gsq_v1_GetSummaryResponse, _gsq_v1_GetSummaryResponse__Output>
      GetTokenRequest: MessageTypeDefinition<_gsq_v1_GetTokenRequest, _gsq_v1_GetTokenRequest__Output>
      GetTokenResponse: MessageTypeDefinition<_gsq_v1_GetTokenResponse, _gsq_v1_GetTokenResponse__Output>
      Heartbeat: MessageTypeDefinition<_gsq_v1_Heartbeat, _gsq_v1_Heartbeat__Output>
      HistoryDirectories: MessageTypeDefinition<_gsq_v1_HistoryDirectories, _gsq_v1_HistoryDirectories__Output>
      HistoryDirectory: MessageTypeDefinition<_gsq_v1_HistoryDirectory, _gsq_v1_HistoryDirectory__Output>
      HistoryEntry: MessageTypeDefinition<_gsq_v1_HistoryEntry, _gsq_v1_HistoryEntry__Output>
      HistoryPosition: MessageTypeDefinition<_gsq_v1_HistoryPosition, _gsq_v1_HistoryPosition__Output>
      InvalidServer: MessageTypeDefinition<_gsq_v1_InvalidServer, _gsq_v1_InvalidServer__Output>
      JsonCall: MessageTypeDefinition<_gsq_v1_JsonCall, _gsq_v1_JsonCall__Output>
      JsonReply: MessageTypeDefinition<_gsq_v1_JsonReply, _gsq_v1_JsonReply__Output>
      JsonStreamRequest: MessageTypeDefinition<_gsq_v1_JsonStreamRequest, _gsq_v1_JsonStreamRequest__Output>
      JsonStreamResponse: MessageTypeDefinition<_gsq_v1_JsonStreamResponse, _gsq_v1_JsonStreamResponse__Output>
      LabelCount: MessageTypeDefinition<_gsq_v1_LabelCount, _gsq_v1_LabelCount__Output>
      ListPubliclyRequest: MessageTypeDefinition<_gsq_v1_ListPubliclyRequest, _gsq_v1_ListPubliclyRequest__Output>
      ListPubliclyResponse: MessageTypeDefinition<_gsq_v1_ListPubliclyResponse, _gsq_v1_ListPubliclyResponse__Output>
      ListServersRequest: MessageTypeDefinition<_gsq_v1_ListServersRequest, _gsq_v1_ListServersRequest__Output>
      ListServersResponse: MessageTypeDefinition<_gsq_v1_ListServersResponse, _gsq_v1_ListServersResponse__Output>
      ListTokensRequest: MessageTypeDefinition<_gsq_v1_ListTokensRequest, _gsq_v1_ListTokensRequest__Output>
      ListTokensResponse: MessageTypeDefinition<_gsq_v1_ListTokensResponse, _gsq_v1_ListTokensResponse__Output>
      MetadataEntry: MessageTypeDefinition<_gsq_v1_MetadataEntry, _gsq_v1_MetadataEntry__Output>
      MoveStoreRequest: MessageTypeDefinition<_gsq_v1_MoveStoreRequest, _gsq_v1_MoveStoreRequest__Output>
      MoveStoreResponse: MessageTypeDefinition<_gsq_v1_MoveStoreResponse, _gsq_v1_MoveStoreResponse__Output>
      MovedStore: MessageTypeDefinition<_gsq_v1_MovedStore, _gsq_v1_MovedStore__Output>
      PartAction: EnumTypeDefinition
      PartCall: MessageTypeDefinition<_gsq_v1_PartCall, _gsq_v1_PartCall__Output>
      PartReply: MessageTypeDefinition<_gsq_v1_PartReply, _gsq_v1_PartReply__Output>
      PartServer: MessageTypeDefinition<_gsq_v1_PartServer, _gsq_v1_PartServer__Output>
      Player: MessageTypeDefinition<_gsq_v1_Player, _gsq_v1_Player__Output>
      RemoveServersRequest: MessageTypeDefinition<_gsq_v1_RemoveServersRequest, _gsq_v1_RemoveServersRequest__Output>
      RemoveServersResponse: MessageTypeDefinition<_gsq_v1_RemoveServersResponse, _gsq_v1_RemoveServersResponse__Output>
      RenderServersRequest: MessageTypeDefinition<_gsq_v1_RenderServersRequest, _gsq_v1_RenderServersRequest__Output>
      RenderServersResponse: MessageTypeDefinition<_gsq_v1_RenderServersResponse, _gsq_v1_RenderServersResponse__Output>
      RenderedFetch: MessageTypeDefinition<_gsq_v1_RenderedFetch, _gsq_v1_RenderedFetch__Output>
      RevokeTokenRequest: MessageTypeDefinition<_gsq_v1_RevokeTokenRequest, _gsq_v1_RevokeTokenRequest__Output>
      RevokeTokenResponse: MessageTypeDefinition<_gsq_v1_RevokeTokenResponse, _gsq_v1_RevokeTokenResponse__Output>
      RotateTokenRequest: MessageTypeDefinition<_gsq_v1_RotateTokenRequest, _gsq_v1_RotateTokenRequest__Output>
      RotateTokenResponse: MessageTypeDefinition<_gsq_v1_RotateTokenResponse, _gsq_v1_RotateTokenResponse__Output>
      SearchPartRequest: MessageTypeDefinition<_gsq_v1_SearchPartRequest, _gsq_v1_SearchPartRequest__Output>
      SearchPartResponse: MessageTypeDefinition<_gsq_v1_SearchPartResponse, _gsq_v1_SearchPartResponse__Output>
      SearchPosition: MessageTypeDefinition<_gsq_v1_SearchPosition, _gsq_v1_SearchPosition__Output>
      SearchScope: MessageTypeDefinition<_gsq_v1_SearchScope, _gsq_v1_SearchScope__Output>
      ServerAccess: MessageTypeDefinition<_gsq_v1_ServerAccess, _gsq_v1_ServerAccess__Output>
      ServerAction: EnumTypeDefinition
      ServerChange: MessageTypeDefinition<_gsq_v1_ServerChange, _gsq_v1_ServerChange__Output>
      ServerGroup: MessageTypeDefinition<_gsq_v1_ServerGroup, _gsq_v1_ServerGroup__Output>
      ServerOption: MessageTypeDefinition<_gsq_v1_ServerOption, _gsq_v1_ServerOption__Output>
      ServerPayload: MessageTypeDefinition<_gsq_v1_ServerPayload, _gsq_v1_ServerPayload__Output>
      ServerRef: MessageTypeDefinition<_gsq_v1_ServerRef, _gsq_v1_ServerRef__Output>
      ServerResult: MessageTypeDefinition<_gsq_v1_ServerResult, _gsq_v1_ServerResult__Output>
      /**
       * The latest known status of game servers.
       * 
       * Callers send credentials as metadata: `x-api-token`, `x-api-token-type`, `x-api-token-email`. Errors contain a
       * google.rpc.ErrorInfo. Its reason is the same code as in the body of a REST error (AUTH_3, QUOTA_1 ...).
       */
      ServerService: SubtypeConstructor<typeof grpc.Client, _gsq_v1_ServerServiceClient> & { service: _gsq_v1_ServerServiceDefinition }
      ServerServiceListServersRequest: MessageTypeDefinition<_gsq_v1_ServerServiceListServersRequest, _gsq_v1_ServerServiceListServersRequest__Output>
      ServerServiceListServersResponse: MessageTypeDefinition<_gsq_v1_ServerServiceListServersResponse, _gsq_v1_ServerServiceListServersResponse__Output>
      ServerStatus: EnumTypeDefinition
      Stale: MessageTypeDefinition<_gsq_v1_Stale, _gsq_v1_Stale__Output>
      StoreDigest: MessageTypeDefinition<_gsq_v1_StoreDigest, _gsq_v1_StoreDigest__Output>
      StoreEntry: MessageTypeDefinition<_gsq_v1_StoreEntry, _gsq_v1_StoreEntry__Output>
      StoreKeys: MessageTypeDefinition<_gsq_v1_StoreKeys, _gsq_v1_StoreKeys__Output>
      StoreState: MessageTypeDefinition<_gsq_v1_StoreState, _gsq_v1_StoreState__Output>
      Token: MessageTypeDefinition<_gsq_v1_Token, _gsq_v1_Token__Output>
      TokenUse: MessageTypeDefinition<_gsq_v1_TokenUse, _gsq_v1_TokenUse__Output>
      Updater: MessageTypeDefinition<_gsq_v1_Updater, _gsq_v1_Updater__Output>
      WatchMembersRequest: MessageTypeDefinition<_gsq_v1_WatchMembersRequest, _gsq_v1_WatchMembersRequest__Output>
      WatchMembersResponse: MessageTypeDefinition<_gsq_v1_WatchMembersResponse, _gsq_v1_WatchMembersResponse__Output>
      WatchServersJsonRequest: MessageTypeDefinition<_gsq_v1_WatchServersJsonRequest, _gsq_v1_WatchServersJsonRequest__Output>
      WatchServersRequest: MessageTypeDefinition<_gsq_v1_WatchServersRequest, _gsq_v1_WatchServersRequest__Output>
      WatchServersResponse: MessageTypeDefinition<_gsq_v1_WatchServersResponse, _gsq_v1_WatchServersResponse__Output>
    }
  }
}

