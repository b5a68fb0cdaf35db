// Original file: gsq/v1/notify.proto

import type { Long } from '@grpc/proto-loader';

/**
 * The HTTP request of a delivery, which a notifier sends once.
 */
export interface Delivery {
  'leaseId'?: (number | string | Long);
  /**
   * HTTP method of the request: POST or PATCH.
   */
  'method'?: (string);
  'url'?: (string);
  'headers'?: ({[key: string]: string});
  'body'?: (Buffer | Uint8Array | string);
  /**
   * Maximum duration of the request, ms, from the look-up of the host name to the end of the answer.
   */
  'timeoutMs'?: (number);
  /**
   * True if the report must contain the body of the answer.
   */
  'wantsBody'?: (boolean);
}

/**
 * The HTTP request of a delivery, which a notifier sends once.
 */
export interface Delivery__Output {
  'leaseId': (number);
  /**
   * HTTP method of the request: POST or PATCH.
   */
  'method': (string);
  'url': (string);
  'headers': ({[key: string]: string});
  'body': (Buffer);
  /**
   * Maximum duration of the request, ms, from the look-up of the host name to the end of the answer.
   */
  'timeoutMs': (number);
  /**
   * True if the report must contain the body of the answer.
   */
  'wantsBody': (boolean);
}
