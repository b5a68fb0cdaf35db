// Original file: gsq/v1/probe.proto

import type { Long } from '@grpc/proto-loader';

export interface Welcome {
  /**
   * CIDR ranges the operator opened beyond public addresses.
   */
  'allowTargets'?: (string)[];
  /**
   * Those that are never to be probed, whatever is opened.
   */
  'denyTargets'?: (string)[];
  /**
   * Names the session for a later Hello. Any other than the one that Hello asked for is new: leases and reports of the
   * earlier one are worth nothing any more, their servers are leased anew.
   */
  'session'?: (string);
  /**
   * Where the session goes on: every report message up to this one is recorded.
   */
  'lastSeq'?: (number | string | Long);
}

export interface Welcome__Output {
  /**
   * CIDR ranges the operator opened beyond public addresses.
   */
  'allowTargets': (string)[];
  /**
   * Those that are never to be probed, whatever is opened.
   */
  'denyTargets': (string)[];
  /**
   * Names the session for a later Hello. Any other than the one that Hello asked for is new: leases and reports of the
   * earlier one are worth nothing any more, their servers are leased anew.
   */
  'session': (string);
  /**
   * Where the session goes on: every report message up to this one is recorded.
   */
  'lastSeq': (number);
}
