// Original file: gsq/v1/cluster.proto

import type { AccountEntry as _gsq_v1_AccountEntry, AccountEntry__Output as _gsq_v1_AccountEntry__Output } from '../../gsq/v1/AccountEntry.ts';

export interface FollowAccountsResponse {
  'entries'?: (_gsq_v1_AccountEntry)[];
  /**
   * True in the last message of the first complete copy, and in all later messages.
   */
  'complete'?: (boolean);
}

export interface FollowAccountsResponse__Output {
  'entries': (_gsq_v1_AccountEntry__Output)[];
  /**
   * True in the last message of the first complete copy, and in all later messages.
   */
  'complete': (boolean);
}
