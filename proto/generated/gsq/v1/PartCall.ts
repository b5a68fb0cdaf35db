// Original file: gsq/v1/cluster.proto

import type { PartAction as _gsq_v1_PartAction, PartAction__Output as _gsq_v1_PartAction__Output } from '../../gsq/v1/PartAction.ts';
import type { ServerGroup as _gsq_v1_ServerGroup, ServerGroup__Output as _gsq_v1_ServerGroup__Output } from '../../gsq/v1/ServerGroup.ts';

/**
 * One call for servers of the called core.
 */
export interface PartCall {
  /**
   * Number of the call, unique on its stream among the calls without a reply.
   */
  'id'?: (number);
  'action'?: (_gsq_v1_PartAction);
  /**
   * The servers, by the id of their game in the catalog and their canonical address.
   */
  'servers'?: (_gsq_v1_ServerGroup)[];
  /**
   * Id of the token for which servers are inserted, or `admin` for the operator.
   */
  'insertedBy'?: (string);
  /**
   * Maximum time to wait for the first replies of inserted servers, in milliseconds.
   */
  'waitMs'?: (number);
}

/**
 * One call for servers of the called core.
 */
export interface PartCall__Output {
  /**
   * Number of the call, unique on its stream among the calls without a reply.
   */
  'id': (number);
  'action': (_gsq_v1_PartAction__Output);
  /**
   * The servers, by the id of their game in the catalog and their canonical address.
   */
  'servers': (_gsq_v1_ServerGroup__Output)[];
  /**
   * Id of the token for which servers are inserted, or `admin` for the operator.
   */
  'insertedBy': (string);
  /**
   * Maximum time to wait for the first replies of inserted servers, in milliseconds.
   */
  'waitMs': (number);
}
