// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

export interface TokenUse {
  'tokenId'?: (string);
  /**
   * Minute in which the requests were admitted, in minutes since the Unix epoch.
   */
  'minute'?: (number);
  /**
   * Number of requests to add; 0 if the token was used only for calls that are not charged.
   */
  'requests'?: (number);
  /**
   * Time of the last use of the token, in milliseconds since the Unix epoch.
   */
  'lastUsedMs'?: (number | string | Long);
}

export interface TokenUse__Output {
  'tokenId': (string);
  /**
   * Minute in which the requests were admitted, in minutes since the Unix epoch.
   */
  'minute': (number);
  /**
   * Number of requests to add; 0 if the token was used only for calls that are not charged.
   */
  'requests': (number);
  /**
   * Time of the last use of the token, in milliseconds since the Unix epoch.
   */
  'lastUsedMs': (number);
}
