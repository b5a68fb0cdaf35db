// Original file: gsq/v1/webhook.proto

import type { Webhook as _gsq_v1_Webhook, Webhook__Output as _gsq_v1_Webhook__Output } from '../../gsq/v1/Webhook.ts';

export interface CreateWebhookResponse {
  'webhook'?: (_gsq_v1_Webhook | null);
  /**
   * Secret with which gsq signs the deliveries, as `whsec_...` (https://www.standardwebhooks.com). Empty for the form
   * `discord`.
   */
  'secret'?: (string);
}

export interface CreateWebhookResponse__Output {
  'webhook': (_gsq_v1_Webhook__Output | null);
  /**
   * Secret with which gsq signs the deliveries, as `whsec_...` (https://www.standardwebhooks.com). Empty for the form
   * `discord`.
   */
  'secret': (string);
}
