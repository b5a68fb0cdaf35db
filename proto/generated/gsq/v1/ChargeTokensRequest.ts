// Original file: gsq/v1/cluster.proto

import type { TokenUse as _gsq_v1_TokenUse, TokenUse__Output as _gsq_v1_TokenUse__Output } from '../../gsq/v1/TokenUse.ts';
import type { Long } from '@grpc/proto-loader';

export interface ChargeTokensRequest {
  'uses'?: (_gsq_v1_TokenUse)[];
  /**
   * Id of the calling core.
   */
  'memberId'?: (string);
  /**
   * Number of the request, which increases with each new request of the calling core. A request that is repeated
   * because its answer was lost has the same number, and the lead does not add it again.
   */
  'sequence'?: (number | string | Long);
}

export interface ChargeTokensRequest__Output {
  'uses': (_gsq_v1_TokenUse__Output)[];
  /**
   * Id of the calling core.
   */
  'memberId': (string);
  /**
   * Number of the request, which increases with each new request of the calling core. A request that is repeated
   * because its answer was lost has the same number, and the lead does not add it again.
   */
  'sequence': (number);
}
