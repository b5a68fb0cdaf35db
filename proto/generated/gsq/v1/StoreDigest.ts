// Original file: gsq/v1/cluster.proto

import type { Long } from '@grpc/proto-loader';

/**
 * Number and sum of the checksums of the entries with a key prefix.
 */
export interface StoreDigest {
  'prefix'?: (string);
  'entries'?: (number | string | Long);
  'sum'?: (number | string | Long);
}

/**
 * Number and sum of the checksums of the entries with a key prefix.
 */
export interface StoreDigest__Output {
  'prefix': (string);
  'entries': (number);
  'sum': (number);
}
