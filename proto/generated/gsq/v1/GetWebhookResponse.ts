// Original file: gsq/v1/webhook.proto

import type { Webhook as _gsq_v1_Webhook, Webhook__Output as _gsq_v1_Webhook__Output } from '../../gsq/v1/Webhook.ts';

export interface GetWebhookResponse {
  'webhook'?: (_gsq_v1_Webhook | null);
}

export interface GetWebhookResponse__Output {
  'webhook': (_gsq_v1_Webhook__Output | null);
}
