// Original file: gsq/v1/admin.proto

import type { Long } from '@grpc/proto-loader';

export interface GetStatsResponse {
  'tracked'?: (number | string | Long);
  'pending'?: (number | string | Long);
  'online'?: (number | string | Long);
  'offline'?: (number | string | Long);
  /**
   * Probers in session.
   */
  'probers'?: (number);
  /**
   * Leases given out and not reported yet.
   */
  'leased'?: (number | string | Long);
  /**
   * Tokens neither revoked nor expired.
   */
  'tokens'?: (number);
}

export interface GetStatsResponse__Output {
  'tracked': (number);
  'pending': (number);
  'online': (number);
  'offline': (number);
  /**
   * Probers in session.
   */
  'probers': (number);
  /**
   * Leases given out and not reported yet.
   */
  'leased': (number);
  /**
   * Tokens neither revoked nor expired.
   */
  'tokens': (number);
}
