// Original file: gsq/v1/webhook.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

/**
 * One attempt to send a delivery.
 */
export interface DeliveryAttempt {
  /**
   * Id of the delivery, which is also the value of the header `webhook-id`. All attempts to send a delivery have the
   * same id.
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
   * Id of the delivery, which is also the value of the header `webhook-id`. All attempts to send a delivery have the
   * same id.
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
