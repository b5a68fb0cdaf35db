// Original file: gsq/v1/webhook.proto


/**
 * A condition of a server. The webhook gets a delivery when the condition becomes true.
 */
export interface WebhookEvent {
  /**
   * Name of the event: `online`, `offline`, `full`, `empty`, `map` (the map changed) or `players_over`.
   */
  'event'?: (string);
  /**
   * Only for the event `players_over`: the server must have more players than this.
   */
  'players'?: (number);
  /**
   * How long the condition must stay true before the delivery, such as `3m` or `90s`, at most 24h. If empty, the
   * delivery is sent at once. Must be empty for the event `map`.
   */
  'for'?: (string);
}

/**
 * A condition of a server. The webhook gets a delivery when the condition becomes true.
 */
export interface WebhookEvent__Output {
  /**
   * Name of the event: `online`, `offline`, `full`, `empty`, `map` (the map changed) or `players_over`.
   */
  'event': (string);
  /**
   * Only for the event `players_over`: the server must have more players than this.
   */
  'players': (number);
  /**
   * How long the condition must stay true before the delivery, such as `3m` or `90s`, at most 24h. If empty, the
   * delivery is sent at once. Must be empty for the event `map`.
   */
  'for': (string);
}
