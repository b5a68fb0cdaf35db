// Original file: gsq/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';

export interface CreateTokenRequest {
  /**
   * FREE or PRO.
   */
  'tier'?: (string);
  'email'?: (string);
  'expiresAt'?: (_google_protobuf_Timestamp | null);
  'allowIps'?: (string)[];
  'allowDomains'?: (string)[];
}

export interface CreateTokenRequest__Output {
  /**
   * FREE or PRO.
   */
  'tier': (string);
  'email': (string);
  'expiresAt': (_google_protobuf_Timestamp__Output | null);
  'allowIps': (string)[];
  'allowDomains': (string)[];
}
