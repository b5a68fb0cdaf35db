// Original file: gsq/v1/notify.proto

import type { Long } from '@grpc/proto-loader';

export interface DeliveryResult {
  'leaseId'?: (number | string | Long);
  /**
   * HTTP status of the answer; 0 if there was no answer.
   */
  'httpStatus'?: (number);
  /**
   * Reason why there was no answer, for people; empty if there was one.
   */
  'error'?: (string);
  /**
   * Value of the Retry-After header of the answer, as seconds from now; 0 if there was none.
   */
  'retryAfterSeconds'?: (number);
  /**
   * The first 64 KiB of the body. Only if the delivery has `wants_body`.
   */
  'body'?: (Buffer | Uint8Array | string);
  'durationMs'?: (number);
  /**
   * True if the notifier sent nothing, for a reason that is not the receiver's: the target is forbidden, no name server
   * answered, or the machine of the notifier has no network. The core tries again, but does not count a failure of the
   * receiver.
   */
  'notSent'?: (boolean);
}

export interface DeliveryResult__Output {
  'leaseId': (number);
  /**
   * HTTP status of the answer; 0 if there was no answer.
   */
  'httpStatus': (number);
  /**
   * Reason why there was no answer, for people; empty if there was one.
   */
  'error': (string);
  /**
   * Value of the Retry-After header of the answer, as seconds from now; 0 if there was none.
   */
  'retryAfterSeconds': (number);
  /**
   * The first 64 KiB of the body. Only if the delivery has `wants_body`.
   */
  'body': (Buffer);
  'durationMs': (number);
  /**
   * True if the notifier sent nothing, for a reason that is not the receiver's: the target is forbidden, no name server
   * answered, or the machine of the notifier has no network. The core tries again, but does not count a failure of the
   * receiver.
   */
  'notSent': (boolean);
}
