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
   * Servers that the webhook follows. Empty if the webhook follows a game.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Id of the game whose servers the webhook follows. Empty if the webhook follows single servers.
   */
  'game'?: (string);
  'events'?: (_gsq_v1_WebhookEvent)[];
  /**
   * Cooldown: time after a delivery in which a new delivery of the same event and server must wait, such as `5m`.
   */
  'cooldown'?: (string);
  /**
   * Form of the requests that gsq sends to the URL of the webhook: `json`, or `discord` for a Discord webhook.
   */
  'form'?: (string);
  /**
   * Only for webhooks of the form `discord`: true if gsq keeps one message per server in Discord and edits it, instead
   * of sending new messages.
   */
  'oneMessage'?: (boolean);
  'createdAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Time when gsq disabled the webhook, for example because all deliveries failed for a day; absent if the webhook is
   * enabled.
   */
  'disabledAt'?: (_google_protobuf_Timestamp | null);
  /**
   * Reason why the webhook is disabled, for people; empty if the webhook is enabled.
   */
  'disabledReason'?: (string);
  /**
   * Number of deliveries that wait in the queue of the webhook.
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
   * Servers that the webhook follows. Empty if the webhook follows a game.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Id of the game whose servers the webhook follows. Empty if the webhook follows single servers.
   */
  'game': (string);
  'events': (_gsq_v1_WebhookEvent__Output)[];
  /**
   * Cooldown: time after a delivery in which a new delivery of the same event and server must wait, such as `5m`.
   */
  'cooldown': (string);
  /**
   * Form of the requests that gsq sends to the URL of the webhook: `json`, or `discord` for a Discord webhook.
   */
  'form': (string);
  /**
   * Only for webhooks of the form `discord`: true if gsq keeps one message per server in Discord and edits it, instead
   * of sending new messages.
   */
  'oneMessage': (boolean);
  'createdAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Time when gsq disabled the webhook, for example because all deliveries failed for a day; absent if the webhook is
   * enabled.
   */
  'disabledAt': (_google_protobuf_Timestamp__Output | null);
  /**
   * Reason why the webhook is disabled, for people; empty if the webhook is enabled.
   */
  'disabledReason': (string);
  /**
   * Number of deliveries that wait in the queue of the webhook.
   */
  'queued': (number);
}
