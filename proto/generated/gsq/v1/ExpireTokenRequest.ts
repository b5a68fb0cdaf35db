// Original file: gsq/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface ExpireTokenRequest {
  'id'?: (string);
  /**
   * Expiry time; absent if the token never expires.
   */
  'expiresAt'?: (_google_protobuf_Timestamp | null);
}

export interface ExpireTokenRequest__Output {
  'id': (string);
  /**
   * Expiry time; absent if the token never expires.
   */
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
}
