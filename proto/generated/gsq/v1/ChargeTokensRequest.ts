// Original file: gsq/v1/cluster.proto

import type { TokenUse as _gsq_v1_TokenUse, TokenUse__Output as _gsq_v1_TokenUse__Output } from '../../gsq/v1/TokenUse.ts';

export interface ChargeTokensRequest {
  'uses'?: (_gsq_v1_TokenUse)[];
}

export interface ChargeTokensRequest__Output {
  'uses': (_gsq_v1_TokenUse__Output)[];
}
