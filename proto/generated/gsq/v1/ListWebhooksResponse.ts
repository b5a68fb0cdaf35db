// Original file: gsq/v1/webhook.proto

import type { Webhook as _gsq_v1_Webhook, Webhook__Output as _gsq_v1_Webhook__Output } from '../../gsq/v1/Webhook.ts';

export interface ListWebhooksResponse {
  'webhooks'?: (_gsq_v1_Webhook)[];
}

export interface ListWebhooksResponse__Output {
  'webhooks': (_gsq_v1_Webhook__Output)[];
}
