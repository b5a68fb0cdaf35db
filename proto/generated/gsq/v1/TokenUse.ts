// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

export interface TokenUse {
  'tokenId'?: (string);
  /**
   * Minute in which the requests were admitted, in minutes since the Unix epoch.
   */
  'minute'?: (number);
  'requests'?: (number);
  /**
   * Time of the last request, in milliseconds since the Unix epoch.
   */
  'lastUsedMs'?: (number | string | Long);
}

export interface TokenUse__Output {
  'tokenId': (string);
  /**
   * Minute in which the requests were admitted, in minutes since the Unix epoch.
   */
  'minute': (number);
  'requests': (number);
  /**
   * Time of the last request, in milliseconds since the Unix epoch.
   */
  'lastUsedMs': (number);
}
