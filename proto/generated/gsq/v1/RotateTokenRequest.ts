// Original file: gsq/v1/admin.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.ts';

export interface RotateTokenRequest {
  'id'?: (string);
  /**
   * How long the secret it had stays valid, 0 to 365 days; absent: 7 days. One that was in such a time already ends.
   */
  'grace'?: (_google_protobuf_Duration | null);
}

export interface RotateTokenRequest__Output {
  'id': (string);
  /**
   * How long the secret it had stays valid, 0 to 365 days; absent: 7 days. One that was in such a time already ends.
   */
  'grace': (_google_protobuf_Duration__Output | null);
}
