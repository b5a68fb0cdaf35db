import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { CustomHttpPattern as _google_api_CustomHttpPattern, CustomHttpPattern__Output as _google_api_CustomHttpPattern__Output } from './google/api/CustomHttpPattern.ts';
import type { Http as _google_api_Http, Http__Output as _google_api_Http__Output } from './google/api/Http.ts';
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from './google/api/HttpBody.ts';
import type { HttpRule as _google_api_HttpRule, HttpRule__Output as _google_api_HttpRule__Output } from './google/api/HttpRule.ts';
import type { Any as _google_protobuf_Any, Any__Output as _google_protobuf_Any__Output } from './google/protobuf/Any.ts';
import type { DescriptorProto as _google_protobuf_DescriptorProto, DescriptorProto__Output as _google_protobuf_DescriptorProto__Output } from './google/protobuf/DescriptorProto.ts';
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
import type { GetHistoryRequest as _gsq_v1_GetHistoryRequest, GetHistoryRequest__Output as _gsq_v1_GetHistoryRequest__Output } from './gsq/v1/GetHistoryRequest.ts';
import type { GetHistoryResponse as _gsq_v1_GetHistoryResponse, GetHistoryResponse__Output as _gsq_v1_GetHistoryResponse__Output } from './gsq/v1/GetHistoryResponse.ts';
import type { GetTrendsRequest as _gsq_v1_GetTrendsRequest, GetTrendsRequest__Output as _gsq_v1_GetTrendsRequest__Output } from './gsq/v1/GetTrendsRequest.ts';
import type { GetTrendsResponse as _gsq_v1_GetTrendsResponse, GetTrendsResponse__Output as _gsq_v1_GetTrendsResponse__Output } from './gsq/v1/GetTrendsResponse.ts';
import type { GetUptimeRequest as _gsq_v1_GetUptimeRequest, GetUptimeRequest__Output as _gsq_v1_GetUptimeRequest__Output } from './gsq/v1/GetUptimeRequest.ts';
import type { GetUptimeResponse as _gsq_v1_GetUptimeResponse, GetUptimeResponse__Output as _gsq_v1_GetUptimeResponse__Output } from './gsq/v1/GetUptimeResponse.ts';
import type { HistorySample as _gsq_v1_HistorySample, HistorySample__Output as _gsq_v1_HistorySample__Output } from './gsq/v1/HistorySample.ts';
import type { HistoryServiceClient as _gsq_v1_HistoryServiceClient, HistoryServiceDefinition as _gsq_v1_HistoryServiceDefinition } from './gsq/v1/HistoryService.ts';
import type { Incident as _gsq_v1_Incident, Incident__Output as _gsq_v1_Incident__Output } from './gsq/v1/Incident.ts';
import type { ListIncidentsRequest as _gsq_v1_ListIncidentsRequest, ListIncidentsRequest__Output as _gsq_v1_ListIncidentsRequest__Output } from './gsq/v1/ListIncidentsRequest.ts';
import type { ListIncidentsResponse as _gsq_v1_ListIncidentsResponse, ListIncidentsResponse__Output as _gsq_v1_ListIncidentsResponse__Output } from './gsq/v1/ListIncidentsResponse.ts';
import type { Trend as _gsq_v1_Trend, Trend__Output as _gsq_v1_Trend__Output } from './gsq/v1/Trend.ts';
import type { Uptime as _gsq_v1_Uptime, Uptime__Output as _gsq_v1_Uptime__Output } from './gsq/v1/Uptime.ts';

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
  }
  gsq: {
    v1: {
      GetHistoryRequest: MessageTypeDefinition<_gsq_v1_GetHistoryRequest, _gsq_v1_GetHistoryRequest__Output>
      GetHistoryResponse: MessageTypeDefinition<_gsq_v1_GetHistoryResponse, _gsq_v1_GetHistoryResponse__Output>
      GetTrendsRequest: MessageTypeDefinition<_gsq_v1_GetTrendsRequest, _gsq_v1_GetTrendsRequest__Output>
      GetTrendsResponse: MessageTypeDefinition<_gsq_v1_GetTrendsResponse, _gsq_v1_GetTrendsResponse__Output>
      GetUptimeRequest: MessageTypeDefinition<_gsq_v1_GetUptimeRequest, _gsq_v1_GetUptimeRequest__Output>
      GetUptimeResponse: MessageTypeDefinition<_gsq_v1_GetUptimeResponse, _gsq_v1_GetUptimeResponse__Output>
      HistorySample: MessageTypeDefinition<_gsq_v1_HistorySample, _gsq_v1_HistorySample__Output>
      /**
       * Methods that show the past of a tracked server. Every method fails with NOT_FOUND (SERVER_1) if the server is not
       * tracked.
       * 
       * A time for which gsq has no data is unknown, for example a time in which no prober was running. Unknown time counts
       * neither as online nor as offline.
       */
      HistoryService: SubtypeConstructor<typeof grpc.Client, _gsq_v1_HistoryServiceClient> & { service: _gsq_v1_HistoryServiceDefinition }
      Incident: MessageTypeDefinition<_gsq_v1_Incident, _gsq_v1_Incident__Output>
      ListIncidentsRequest: MessageTypeDefinition<_gsq_v1_ListIncidentsRequest, _gsq_v1_ListIncidentsRequest__Output>
      ListIncidentsResponse: MessageTypeDefinition<_gsq_v1_ListIncidentsResponse, _gsq_v1_ListIncidentsResponse__Output>
      Trend: MessageTypeDefinition<_gsq_v1_Trend, _gsq_v1_Trend__Output>
      Uptime: MessageTypeDefinition<_gsq_v1_Uptime, _gsq_v1_Uptime__Output>
    }
  }
}

