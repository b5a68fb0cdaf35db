// Original file: gsq/v1/cluster.proto

import type { PartServer as _gsq_v1_PartServer, PartServer__Output as _gsq_v1_PartServer__Output } from '../../gsq/v1/PartServer.ts';
import type { Status as _google_rpc_Status, Status__Output as _google_rpc_Status__Output } from '../../google/rpc/Status.ts';

/**
 * The reply to one PartCall.
 */
export interface PartReply {
  'id'?: (number);
  /**
   * One result for each server of the call, in the same order.
   */
  'servers'?: (_gsq_v1_PartServer)[];
  /**
   * Set if the whole call failed.
   */
  'error'?: (_google_rpc_Status | null);
}

/**
 * The reply to one PartCall.
 */
export interface PartReply__Output {
  'id': (number);
  /**
   * One result for each server of the call, in the same order.
   */
  'servers': (_gsq_v1_PartServer__Output)[];
  /**
   * Set if the whole call failed.
   */
  'error': (_google_rpc_Status__Output | null);
}
