// Original file: gsq/v1/admin.proto

import type { AllowList as _gsq_v1_AllowList, AllowList__Output as _gsq_v1_AllowList__Output } from '../../gsq/v1/AllowList.ts';

export interface AllowTokenRequest {
  'id'?: (string);
  /**
   * IP addresses or CIDR ranges; absent: as it was.
   */
  'ips'?: (_gsq_v1_AllowList | null);
  /**
   * Host names, each with its subdomains; absent: as it was.
   */
  'domains'?: (_gsq_v1_AllowList | null);
}

export interface AllowTokenRequest__Output {
  'id': (string);
  /**
   * IP addresses or CIDR ranges; absent: as it was.
   */
  'ips': (_gsq_v1_AllowList__Output | null);
  /**
   * Host names, each with its subdomains; absent: as it was.
   */
  'domains': (_gsq_v1_AllowList__Output | null);
}
