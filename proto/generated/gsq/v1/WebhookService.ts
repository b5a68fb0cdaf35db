// Original file: gsq/v1/webhook.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateWebhookRequest as _gsq_v1_CreateWebhookRequest, CreateWebhookRequest__Output as _gsq_v1_CreateWebhookRequest__Output } from '../../gsq/v1/CreateWebhookRequest.ts';
import type { CreateWebhookResponse as _gsq_v1_CreateWebhookResponse, CreateWebhookResponse__Output as _gsq_v1_CreateWebhookResponse__Output } from '../../gsq/v1/CreateWebhookResponse.ts';
import type { DeleteWebhookRequest as _gsq_v1_DeleteWebhookRequest, DeleteWebhookRequest__Output as _gsq_v1_DeleteWebhookRequest__Output } from '../../gsq/v1/DeleteWebhookRequest.ts';
import type { DeleteWebhookResponse as _gsq_v1_DeleteWebhookResponse, DeleteWebhookResponse__Output as _gsq_v1_DeleteWebhookResponse__Output } from '../../gsq/v1/DeleteWebhookResponse.ts';
import type { GetWebhookRequest as _gsq_v1_GetWebhookRequest, GetWebhookRequest__Output as _gsq_v1_GetWebhookRequest__Output } from '../../gsq/v1/GetWebhookRequest.ts';
import type { GetWebhookResponse as _gsq_v1_GetWebhookResponse, GetWebhookResponse__Output as _gsq_v1_GetWebhookResponse__Output } from '../../gsq/v1/GetWebhookResponse.ts';
import type { HttpBody as _google_api_HttpBody, HttpBody__Output as _google_api_HttpBody__Output } from '../../google/api/HttpBody.ts';
import type { ListDeliveriesRequest as _gsq_v1_ListDeliveriesRequest, ListDeliveriesRequest__Output as _gsq_v1_ListDeliveriesRequest__Output } from '../../gsq/v1/ListDeliveriesRequest.ts';
import type { ListDeliveriesResponse as _gsq_v1_ListDeliveriesResponse, ListDeliveriesResponse__Output as _gsq_v1_ListDeliveriesResponse__Output } from '../../gsq/v1/ListDeliveriesResponse.ts';
import type { ListWebhooksRequest as _gsq_v1_ListWebhooksRequest, ListWebhooksRequest__Output as _gsq_v1_ListWebhooksRequest__Output } from '../../gsq/v1/ListWebhooksRequest.ts';
import type { ListWebhooksResponse as _gsq_v1_ListWebhooksResponse, ListWebhooksResponse__Output as _gsq_v1_ListWebhooksResponse__Output } from '../../gsq/v1/ListWebhooksResponse.ts';
import type { TestWebhookRequest as _gsq_v1_TestWebhookRequest, TestWebhookRequest__Output as _gsq_v1_TestWebhookRequest__Output } from '../../gsq/v1/TestWebhookRequest.ts';
import type { TestWebhookResponse as _gsq_v1_TestWebhookResponse, TestWebhookResponse__Output as _gsq_v1_TestWebhookResponse__Output } from '../../gsq/v1/TestWebhookResponse.ts';

/**
 * Webhooks: gsq sends an HTTP request to a URL of the caller when something happens to a server.
 * 
 * Callers send the same credentials as for a fetch, and see only the webhooks of their token. On the internal port, an
 * operator sends no credentials and sees all webhooks. GetWebhook, DeleteWebhook, TestWebhook and ListDeliveries fail
 * with NOT_FOUND (HOOK_1) if the caller has no such webhook.
 */
export interface WebhookServiceClient extends grpc.Client {
  /**
   * Registers a webhook. Only this response contains the secret with which gsq signs the deliveries of the webhook.
   */
  CreateWebhook(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  CreateWebhook(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  CreateWebhook(argument: _gsq_v1_CreateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  CreateWebhook(argument: _gsq_v1_CreateWebhookRequest, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Registers a webhook. Only this response contains the secret with which gsq signs the deliveries of the webhook.
   */
  createWebhook(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  createWebhook(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  createWebhook(argument: _gsq_v1_CreateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  createWebhook(argument: _gsq_v1_CreateWebhookRequest, callback: grpc.requestCallback<_gsq_v1_CreateWebhookResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same response as CreateWebhook, as the JSON of the REST answer.
   */
  CreateWebhookJson(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  CreateWebhookJson(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  CreateWebhookJson(argument: _gsq_v1_CreateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  CreateWebhookJson(argument: _gsq_v1_CreateWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same response as CreateWebhook, as the JSON of the REST answer.
   */
  createWebhookJson(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  createWebhookJson(argument: _gsq_v1_CreateWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  createWebhookJson(argument: _gsq_v1_CreateWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  createWebhookJson(argument: _gsq_v1_CreateWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Deletes a webhook and its queued deliveries.
   */
  DeleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  DeleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  DeleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  DeleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Deletes a webhook and its queued deliveries.
   */
  deleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  deleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  deleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  deleteWebhook(argument: _gsq_v1_DeleteWebhookRequest, callback: grpc.requestCallback<_gsq_v1_DeleteWebhookResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Does the same as DeleteWebhook. The JSON of the REST answer is an empty object.
   */
  DeleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  DeleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  DeleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  DeleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Does the same as DeleteWebhook. The JSON of the REST answer is an empty object.
   */
  deleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  deleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  deleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  deleteWebhookJson(argument: _gsq_v1_DeleteWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  GetWebhook(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  GetWebhook(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  GetWebhook(argument: _gsq_v1_GetWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  GetWebhook(argument: _gsq_v1_GetWebhookRequest, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  getWebhook(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  getWebhook(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  getWebhook(argument: _gsq_v1_GetWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  getWebhook(argument: _gsq_v1_GetWebhookRequest, callback: grpc.requestCallback<_gsq_v1_GetWebhookResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same webhook as GetWebhook, as the JSON of the REST answer.
   */
  GetWebhookJson(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetWebhookJson(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetWebhookJson(argument: _gsq_v1_GetWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  GetWebhookJson(argument: _gsq_v1_GetWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same webhook as GetWebhook, as the JSON of the REST answer.
   */
  getWebhookJson(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getWebhookJson(argument: _gsq_v1_GetWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getWebhookJson(argument: _gsq_v1_GetWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  getWebhookJson(argument: _gsq_v1_GetWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Lists the last 50 attempts to send deliveries of a webhook, the newest first.
   */
  ListDeliveries(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ListDeliveries(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ListDeliveries(argument: _gsq_v1_ListDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  ListDeliveries(argument: _gsq_v1_ListDeliveriesRequest, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Lists the last 50 attempts to send deliveries of a webhook, the newest first.
   */
  listDeliveries(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gsq_v1_ListDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  listDeliveries(argument: _gsq_v1_ListDeliveriesRequest, callback: grpc.requestCallback<_gsq_v1_ListDeliveriesResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same attempts as ListDeliveries, as the JSON of the REST answer.
   */
  ListDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same attempts as ListDeliveries, as the JSON of the REST answer.
   */
  listDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listDeliveriesJson(argument: _gsq_v1_ListDeliveriesRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  ListWebhooks(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  ListWebhooks(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  ListWebhooks(argument: _gsq_v1_ListWebhooksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  ListWebhooks(argument: _gsq_v1_ListWebhooksRequest, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  listWebhooks(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  listWebhooks(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  listWebhooks(argument: _gsq_v1_ListWebhooksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  listWebhooks(argument: _gsq_v1_ListWebhooksRequest, callback: grpc.requestCallback<_gsq_v1_ListWebhooksResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Returns the same webhooks as ListWebhooks, as the JSON of the REST answer.
   */
  ListWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  ListWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Returns the same webhooks as ListWebhooks, as the JSON of the REST answer.
   */
  listWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  listWebhooksJson(argument: _gsq_v1_ListWebhooksRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
  /**
   * Queues a delivery with the event `test` for a webhook. A disabled webhook is enabled again.
   */
  TestWebhook(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  TestWebhook(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  TestWebhook(argument: _gsq_v1_TestWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  TestWebhook(argument: _gsq_v1_TestWebhookRequest, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  /**
   * Queues a delivery with the event `test` for a webhook. A disabled webhook is enabled again.
   */
  testWebhook(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  testWebhook(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  testWebhook(argument: _gsq_v1_TestWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  testWebhook(argument: _gsq_v1_TestWebhookRequest, callback: grpc.requestCallback<_gsq_v1_TestWebhookResponse__Output>): grpc.ClientUnaryCall;
  
  /**
   * Does the same as TestWebhook, and returns its response as the JSON of the REST answer.
   */
  TestWebhookJson(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  TestWebhookJson(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  TestWebhookJson(argument: _gsq_v1_TestWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  TestWebhookJson(argument: _gsq_v1_TestWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  /**
   * Does the same as TestWebhook, and returns its response as the JSON of the REST answer.
   */
  testWebhookJson(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  testWebhookJson(argument: _gsq_v1_TestWebhookRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  testWebhookJson(argument: _gsq_v1_TestWebhookRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  testWebhookJson(argument: _gsq_v1_TestWebhookRequest, callback: grpc.requestCallback<_google_api_HttpBody__Output>): grpc.ClientUnaryCall;
  
}

/**
 * Webhooks: gsq sends an HTTP request to a URL of the caller when something happens to a server.
 * 
 * Callers send the same credentials as for a fetch, and see only the webhooks of their token. On the internal port, an
 * operator sends no credentials and sees all webhooks. GetWebhook, DeleteWebhook, TestWebhook and ListDeliveries fail
 * with NOT_FOUND (HOOK_1) if the caller has no such webhook.
 */
export interface WebhookServiceHandlers extends grpc.UntypedServiceImplementation {
  /**
   * Registers a webhook. Only this response contains the secret with which gsq signs the deliveries of the webhook.
   */
  CreateWebhook: grpc.handleUnaryCall<_gsq_v1_CreateWebhookRequest__Output, _gsq_v1_CreateWebhookResponse>;
  
  /**
   * Returns the same response as CreateWebhook, as the JSON of the REST answer.
   */
  CreateWebhookJson: grpc.handleUnaryCall<_gsq_v1_CreateWebhookRequest__Output, _google_api_HttpBody>;
  
  /**
   * Deletes a webhook and its queued deliveries.
   */
  DeleteWebhook: grpc.handleUnaryCall<_gsq_v1_DeleteWebhookRequest__Output, _gsq_v1_DeleteWebhookResponse>;
  
  /**
   * Does the same as DeleteWebhook. The JSON of the REST answer is an empty object.
   */
  DeleteWebhookJson: grpc.handleUnaryCall<_gsq_v1_DeleteWebhookRequest__Output, _google_api_HttpBody>;
  
  GetWebhook: grpc.handleUnaryCall<_gsq_v1_GetWebhookRequest__Output, _gsq_v1_GetWebhookResponse>;
  
  /**
   * Returns the same webhook as GetWebhook, as the JSON of the REST answer.
   */
  GetWebhookJson: grpc.handleUnaryCall<_gsq_v1_GetWebhookRequest__Output, _google_api_HttpBody>;
  
  /**
   * Lists the last 50 attempts to send deliveries of a webhook, the newest first.
   */
  ListDeliveries: grpc.handleUnaryCall<_gsq_v1_ListDeliveriesRequest__Output, _gsq_v1_ListDeliveriesResponse>;
  
  /**
   * Returns the same attempts as ListDeliveries, as the JSON of the REST answer.
   */
  ListDeliveriesJson: grpc.handleUnaryCall<_gsq_v1_ListDeliveriesRequest__Output, _google_api_HttpBody>;
  
  ListWebhooks: grpc.handleUnaryCall<_gsq_v1_ListWebhooksRequest__Output, _gsq_v1_ListWebhooksResponse>;
  
  /**
   * Returns the same webhooks as ListWebhooks, as the JSON of the REST answer.
   */
  ListWebhooksJson: grpc.handleUnaryCall<_gsq_v1_ListWebhooksRequest__Output, _google_api_HttpBody>;
  
  /**
   * Queues a delivery with the event `test` for a webhook. A disabled webhook is enabled again.
   */
  TestWebhook: grpc.handleUnaryCall<_gsq_v1_TestWebhookRequest__Output, _gsq_v1_TestWebhookResponse>;
  
  /**
   * Does the same as TestWebhook, and returns its response as the JSON of the REST answer.
   */
  TestWebhookJson: grpc.handleUnaryCall<_gsq_v1_TestWebhookRequest__Output, _google_api_HttpBody>;
  
}

export interface WebhookServiceDefinition extends grpc.ServiceDefinition {
  CreateWebhook: MethodDefinition<_gsq_v1_CreateWebhookRequest, _gsq_v1_CreateWebhookResponse, _gsq_v1_CreateWebhookRequest__Output, _gsq_v1_CreateWebhookResponse__Output>
  CreateWebhookJson: MethodDefinition<_gsq_v1_CreateWebhookRequest, _google_api_HttpBody, _gsq_v1_CreateWebhookRequest__Output, _google_api_HttpBody__Output>
  DeleteWebhook: MethodDefinition<_gsq_v1_DeleteWebhookRequest, _gsq_v1_DeleteWebhookResponse, _gsq_v1_DeleteWebhookRequest__Output, _gsq_v1_DeleteWebhookResponse__Output>
  DeleteWebhookJson: MethodDefinition<_gsq_v1_DeleteWebhookRequest, _google_api_HttpBody, _gsq_v1_DeleteWebhookRequest__Output, _google_api_HttpBody__Output>
  GetWebhook: MethodDefinition<_gsq_v1_GetWebhookRequest, _gsq_v1_GetWebhookResponse, _gsq_v1_GetWebhookRequest__Output, _gsq_v1_GetWebhookResponse__Output>
  GetWebhookJson: MethodDefinition<_gsq_v1_GetWebhookRequest, _google_api_HttpBody, _gsq_v1_GetWebhookRequest__Output, _google_api_HttpBody__Output>
  ListDeliveries: MethodDefinition<_gsq_v1_ListDeliveriesRequest, _gsq_v1_ListDeliveriesResponse, _gsq_v1_ListDeliveriesRequest__Output, _gsq_v1_ListDeliveriesResponse__Output>
  ListDeliveriesJson: MethodDefinition<_gsq_v1_ListDeliveriesRequest, _google_api_HttpBody, _gsq_v1_ListDeliveriesRequest__Output, _google_api_HttpBody__Output>
  ListWebhooks: MethodDefinition<_gsq_v1_ListWebhooksRequest, _gsq_v1_ListWebhooksResponse, _gsq_v1_ListWebhooksRequest__Output, _gsq_v1_ListWebhooksResponse__Output>
  ListWebhooksJson: MethodDefinition<_gsq_v1_ListWebhooksRequest, _google_api_HttpBody, _gsq_v1_ListWebhooksRequest__Output, _google_api_HttpBody__Output>
  TestWebhook: MethodDefinition<_gsq_v1_TestWebhookRequest, _gsq_v1_TestWebhookResponse, _gsq_v1_TestWebhookRequest__Output, _gsq_v1_TestWebhookResponse__Output>
  TestWebhookJson: MethodDefinition<_gsq_v1_TestWebhookRequest, _google_api_HttpBody, _gsq_v1_TestWebhookRequest__Output, _google_api_HttpBody__Output>
}
