// Original file: gsq/v1/webhook.proto


/**
 * Something that happens to a server, as a condition for a delivery.
 */
export interface WebhookEvent {
  /**
   * `online`, `offline`, `full`, `empty`, `map` (the map changed) or `players_over`.
   */
  'event'?: (string);
  /**
   * Only for `players_over`: the number of players must be greater.
   */
  'players'?: (number);
  /**
   * How long the condition must hold before the delivery, such as `3m` or `90s`, at most 24h; empty: no wait. Not for
   * `map`.
   */
  'for'?: (string);
}

/**
 * Something that happens to a server, as a condition for a delivery.
 */
export interface WebhookEvent__Output {
  /**
   * `online`, `offline`, `full`, `empty`, `map` (the map changed) or `players_over`.
   */
  'event': (string);
  /**
   * Only for `players_over`: the number of players must be greater.
   */
  'players': (number);
  /**
   * How long the condition must hold before the delivery, such as `3m` or `90s`, at most 24h; empty: no wait. Not for
   * `map`.
   */
  'for': (string);
}
