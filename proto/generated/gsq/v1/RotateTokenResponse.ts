// Original file: gsq/v1/admin.proto

import type { Token as _gsq_v1_Token, Token__Output as _gsq_v1_Token__Output } from '../../gsq/v1/Token.ts';

export interface RotateTokenResponse {
  /**
   * New secret of the token. Callers send it as X-API-Token from now on.
   */
  'secret'?: (string);
  'token'?: (_gsq_v1_Token | null);
}

export interface RotateTokenResponse__Output {
  /**
   * New secret of the token. Callers send it as X-API-Token from now on.
   */
  'secret': (string);
  'token': (_gsq_v1_Token__Output | null);
}
