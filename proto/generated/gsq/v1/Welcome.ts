// Original file: gsq/v1/probe.proto

import type { Long } from '@grpc/proto-loader';

export interface Welcome {
  /**
   * CIDR ranges that probers are allowed to probe in addition to public addresses. The operator sets them.
   */
  'allowTargets'?: (string)[];
  /**
   * CIDR ranges that must never be probed, even if allow_targets contains them.
   */
  'denyTargets'?: (string)[];
  /**
   * Id of the session, for a later Hello. If it differs from Hello.session, the session is new. In this case the leases
   * and reports of the earlier session are void, and the core leases their servers again.
   */
  'session'?: (string);
  /**
   * If the session continues: number of the last report message that the core has recorded.
   */
  'lastSeq'?: (number | string | Long);
}

export interface Welcome__Output {
  /**
   * CIDR ranges that probers are allowed to probe in addition to public addresses. The operator sets them.
   */
  'allowTargets': (string)[];
  /**
   * CIDR ranges that must never be probed, even if allow_targets contains them.
   */
  'denyTargets': (string)[];
  /**
   * Id of the session, for a later Hello. If it differs from Hello.session, the session is new. In this case the leases
   * and reports of the earlier session are void, and the core leases their servers again.
   */
  'session': (string);
  /**
   * If the session continues: number of the last report message that the core has recorded.
   */
  'lastSeq': (number);
}
