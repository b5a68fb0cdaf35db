// Original file: gsq/v1/webhook.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';
import type { WebhookEvent as _gsq_v1_WebhookEvent, WebhookEvent__Output as _gsq_v1_WebhookEvent__Output } from '../../gsq/v1/WebhookEvent.ts';

export interface CreateWebhookRequest {
  /**
   * URL to which gsq sends the deliveries. It must be an https URL with port 443 or a port that game servers use. http
   * is possible only for targets in GSQ_ALLOW_TARGETS.
   */
  'url'?: (string);
  /**
   * Servers to follow, at most 1000. Exactly one of `servers` and `game` is set.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Id or alias of a game. The webhook follows all tracked servers of this game. If the token that owns the webhook has
   * the tier FREE, the webhook follows only the servers that the token has inserted.
   */
  'game'?: (string);
  'events'?: (_gsq_v1_WebhookEvent)[];
  /**
   * Cooldown: time after a delivery in which a new delivery of the same event and server must wait. The default is 1m,
   * the maximum 24h.
   */
  'cooldown'?: (string);
  /**
   * Form of the requests that gsq sends to the URL of the webhook: `json` (the default), or `discord` for a Discord
   * webhook.
   */
  'form'?: (string);
  /**
   * Only for webhooks of the form `discord`: true to keep one message per server in Discord and edit it, instead of
   * sending new messages.
   */
  'oneMessage'?: (boolean);
  /**
   * Id of the token that will own the webhook. An operator must set this field. For all other callers, the owner is the
   * token of the call.
   */
  'tokenId'?: (string);
}

export interface CreateWebhookRequest__Output {
  /**
   * URL to which gsq sends the deliveries. It must be an https URL with port 443 or a port that game servers use. http
   * is possible only for targets in GSQ_ALLOW_TARGETS.
   */
  'url': (string);
  /**
   * Servers to follow, at most 1000. Exactly one of `servers` and `game` is set.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Id or alias of a game. The webhook follows all tracked servers of this game. If the token that owns the webhook has
   * the tier FREE, the webhook follows only the servers that the token has inserted.
   */
  'game': (string);
  'events': (_gsq_v1_WebhookEvent__Output)[];
  /**
   * Cooldown: time after a delivery in which a new delivery of the same event and server must wait. The default is 1m,
   * the maximum 24h.
   */
  'cooldown': (string);
  /**
   * Form of the requests that gsq sends to the URL of the webhook: `json` (the default), or `discord` for a Discord
   * webhook.
   */
  'form': (string);
  /**
   * Only for webhooks of the form `discord`: true to keep one message per server in Discord and edit it, instead of
   * sending new messages.
   */
  'oneMessage': (boolean);
  /**
   * Id of the token that will own the webhook. An operator must set this field. For all other callers, the owner is the
   * token of the call.
   */
  'tokenId': (string);
}
