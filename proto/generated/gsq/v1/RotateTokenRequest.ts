// Original file: gsq/v1/admin.proto

import type { Duration as _google_protobuf_Duration, Duration__Output as _google_protobuf_Duration__Output } from '../../google/protobuf/Duration.ts';

export interface RotateTokenRequest {
  'id'?: (string);
  /**
   * Grace period of the current secret: 0 to 365 days, 7 days if absent. An older secret that is still valid becomes
   * invalid immediately.
   */
  'grace'?: (_google_protobuf_Duration | null);
}

export interface RotateTokenRequest__Output {
  'id': (string);
  /**
   * Grace period of the current secret: 0 to 365 days, 7 days if absent. An older secret that is still valid becomes
   * invalid immediately.
   */
  'grace': (_google_protobuf_Duration__Output | null);
}
