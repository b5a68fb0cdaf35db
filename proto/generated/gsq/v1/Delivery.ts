// Original file: gsq/v1/notify.proto

import type { Long } from '@grpc/proto-loader';

/**
 * An HTTP request that a notifier sends once.
 */
export interface Delivery {
  'leaseId'?: (number | string | Long);
  /**
   * POST or PATCH.
   */
  'method'?: (string);
  'url'?: (string);
  'headers'?: ({[key: string]: string});
  'body'?: (Buffer | Uint8Array | string);
  /**
   * Maximum duration of the request, from the look-up of the host name to the end of the answer.
   */
  'timeoutMs'?: (number);
  /**
   * True if the report must contain the body of the answer.
   */
  'wantsBody'?: (boolean);
}

/**
 * An HTTP request that a notifier sends once.
 */
export interface Delivery__Output {
  'leaseId': (number);
  /**
   * POST or PATCH.
   */
  'method': (string);
  'url': (string);
  'headers': ({[key: string]: string});
  'body': (Buffer);
  /**
   * Maximum duration of the request, from the look-up of the host name to the end of the answer.
   */
  'timeoutMs': (number);
  /**
   * True if the report must contain the body of the answer.
   */
  'wantsBody': (boolean);
}
