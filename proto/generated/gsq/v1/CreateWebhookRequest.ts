// Original file: gsq/v1/webhook.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';
import type { WebhookEvent as _gsq_v1_WebhookEvent, WebhookEvent__Output as _gsq_v1_WebhookEvent__Output } from '../../gsq/v1/WebhookEvent.ts';

export interface CreateWebhookRequest {
  /**
   * https URL. The port is 443 or a port that game servers use. http is possible only for targets in
   * GSQ_ALLOW_TARGETS.
   */
  'url'?: (string);
  /**
   * Servers to follow, at most 1000. Exactly one of `servers` and `game` is set.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Id or alias of the game to follow: all its tracked servers that the token can see.
   */
  'game'?: (string);
  'events'?: (_gsq_v1_WebhookEvent)[];
  /**
   * Default: 1m. At most 24h.
   */
  'cooldown'?: (string);
  /**
   * `json` (the default) or `discord`.
   */
  'form'?: (string);
  /**
   * Only for `discord`.
   */
  'oneMessage'?: (boolean);
  /**
   * Id of the token that will own the webhook. Only for an operator, who must set it.
   */
  'tokenId'?: (string);
}

export interface CreateWebhookRequest__Output {
  /**
   * https URL. The port is 443 or a port that game servers use. http is possible only for targets in
   * GSQ_ALLOW_TARGETS.
   */
  'url': (string);
  /**
   * Servers to follow, at most 1000. Exactly one of `servers` and `game` is set.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Id or alias of the game to follow: all its tracked servers that the token can see.
   */
  'game': (string);
  'events': (_gsq_v1_WebhookEvent__Output)[];
  /**
   * Default: 1m. At most 24h.
   */
  'cooldown': (string);
  /**
   * `json` (the default) or `discord`.
   */
  'form': (string);
  /**
   * Only for `discord`.
   */
  'oneMessage': (boolean);
  /**
   * Id of the token that will own the webhook. Only for an operator, who must set it.
   */
  'tokenId': (string);
}
