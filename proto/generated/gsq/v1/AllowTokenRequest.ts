// Original file: gsq/v1/admin.proto

import type { AllowList as _gsq_v1_AllowList, AllowList__Output as _gsq_v1_AllowList__Output } from '../../gsq/v1/AllowList.ts';

export interface AllowTokenRequest {
  'id'?: (string);
  /**
   * IP addresses or CIDR ranges. If absent, the list of the token stays unchanged.
   */
  'ips'?: (_gsq_v1_AllowList | null);
  /**
   * Domains, which include their subdomains. If absent, the list of the token stays unchanged.
   */
  'domains'?: (_gsq_v1_AllowList | null);
}

export interface AllowTokenRequest__Output {
  'id': (string);
  /**
   * IP addresses or CIDR ranges. If absent, the list of the token stays unchanged.
   */
  'ips': (_gsq_v1_AllowList__Output | null);
  /**
   * Domains, which include their subdomains. If absent, the list of the token stays unchanged.
   */
  'domains': (_gsq_v1_AllowList__Output | null);
}
