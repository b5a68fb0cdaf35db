// Original file: gsq/v1/webhook.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

/**
 * One attempt to send a delivery.
 */
export interface DeliveryAttempt {
  /**
   * Id of the delivery. All attempts of a delivery have the same id, which is also the `webhook-id` header. Empty if the
   * event was dropped before it became a delivery.
   */
  'deliveryId'?: (string);
  'event'?: (string);
  'gameId'?: (string);
  'server'?: (string);
  'at'?: (_google_protobuf_Timestamp | null);
  /**
   * HTTP status of the answer; 0 if there was no answer.
   */
  'httpStatus'?: (number);
  /**
   * Reason of the failure, for people; empty if the attempt succeeded.
   */
  'error'?: (string);
  /**
   * Duration of the attempt, ms.
   */
  'durationMs'?: (number);
  /**
   * Time of the next attempt; absent if there will be none.
   */
  'nextAttemptAt'?: (_google_protobuf_Timestamp | null);
}

/**
 * One attempt to send a delivery.
 */
export interface DeliveryAttempt__Output {
  /**
   * Id of the delivery. All attempts of a delivery have the same id, which is also the `webhook-id` header. Empty if the
   * event was dropped before it became a delivery.
   */
  'deliveryId': (string);
  'event': (string);
  'gameId': (string);
  'server': (string);
  'at': (_google_protobuf_Timestamp__Output | null);
  /**
   * HTTP status of the answer; 0 if there was no answer.
   */
  'httpStatus': (number);
  /**
   * Reason of the failure, for people; empty if the attempt succeeded.
   */
  'error': (string);
  /**
   * Duration of the attempt, ms.
   */
  'durationMs': (number);
  /**
   * Time of the next attempt; absent if there will be none.
   */
  'nextAttemptAt': (_google_protobuf_Timestamp__Output | null);
}
