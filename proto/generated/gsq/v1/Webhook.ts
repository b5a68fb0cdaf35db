// Original file: gsq/v1/webhook.proto

import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';
import type { WebhookEvent as _gsq_v1_WebhookEvent, WebhookEvent__Output as _gsq_v1_WebhookEvent__Output } from '../../gsq/v1/WebhookEvent.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface Webhook {
  'id'?: (string);
  /**
   * Id of the token that owns the webhook.
   */
  'tokenId'?: (string);
  /**
   * URL with the path and the query hidden, because they can be secret.
   */
  'url'?: (string);
  /**
   * Servers that the webhook follows. Empty if it follows a game.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Id of the game whose servers the webhook follows. Empty if it follows single servers.
   */
  'game'?: (string);
  'events'?: (_gsq_v1_WebhookEvent)[];
  /**
   * Time after a delivery in which the same event of the same server is not delivered, such as `5m`.
   */
  'cooldown'?: (string);
  /**
   * `json` or `discord`.
   */
  'form'?: (string);
  /**
   * Only for `discord`: true if gsq keeps one message per server and edits it, instead of sending new messages.
   */
  'oneMessage'?: (boolean);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Time when gsq disabled the webhook, because deliveries failed for a day; absent if it is enabled.
   */
  'disabledAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Reason why the webhook is disabled, for people; empty if it is enabled.
   */
  'disabledReason'?: (string);
  /**
   * Number of queued deliveries.
   */
  'queued'?: (number);
}

export interface Webhook__Output {
  'id': (string);
  /**
   * Id of the token that owns the webhook.
   */
  'tokenId': (string);
  /**
   * URL with the path and the query hidden, because they can be secret.
   */
  'url': (string);
  /**
   * Servers that the webhook follows. Empty if it follows a game.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Id of the game whose servers the webhook follows. Empty if it follows single servers.
   */
  'game': (string);
  'events': (_gsq_v1_WebhookEvent__Output)[];
  /**
   * Time after a delivery in which the same event of the same server is not delivered, such as `5m`.
   */
  'cooldown': (string);
  /**
   * `json` or `discord`.
   */
  'form': (string);
  /**
   * Only for `discord`: true if gsq keeps one message per server and edits it, instead of sending new messages.
   */
  'oneMessage': (boolean);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Time when gsq disabled the webhook, because deliveries failed for a day; absent if it is enabled.
   */
  'disabledAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Reason why the webhook is disabled, for people; empty if it is enabled.
   */
  'disabledReason': (string);
  /**
   * Number of queued deliveries.
   */
  'queued': (number);
}
