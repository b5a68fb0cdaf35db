// Original file: gsq/v1/cluster.proto

import type { AccountEntry as _gsq_v1_AccountEntry, AccountEntry__Output as _gsq_v1_AccountEntry__Output } from '../../gsq/v1/AccountEntry.ts';
import type { Long } from '@grpc/proto-loader';

export interface FollowAccountsResponse {
  'entries'?: (_gsq_v1_AccountEntry)[];
  /**
   * True in the last message of the first complete copy, and in all later messages.
   */
  'complete'?: (boolean);
  /**
   * Sequence number of the last ChargeTokensRequest of the calling core that the usage in this message and in all
   * earlier messages includes. Only set if `complete` is true.
   */
  'charged'?: (number | string | Long);
}

export interface FollowAccountsResponse__Output {
  'entries': (_gsq_v1_AccountEntry__Output)[];
  /**
   * True in the last message of the first complete copy, and in all later messages.
   */
  'complete': (boolean);
  /**
   * Sequence number of the last ChargeTokensRequest of the calling core that the usage in this message and in all
   * earlier messages includes. Only set if `complete` is true.
   */
  'charged': (number);
}
